// What the `session_meta` lines of a session say together: its title and its tags.

import { SessionError } from '../../errors.js'
import { fieldsOf } from '../../format/fields.js'
import type { NewEvent } from '../../log/index.js'

/** The tag that puts a session first on the screen and keeps it from retention. */
export const PINNED = 'pinned'

/** Takes `session_meta` payloads in the order of the file, oldest first. */
export class SessionMeta {
  title: string | undefined
  titleSource: 'user' | 'auto' = 'auto'
  tags: readonly string[] | undefined

  take(payload: unknown): { readonly hasTitle: boolean; readonly hasTags: boolean } {
    const { title, title_source, tags } = fieldsOf(payload)
    const source = title_source === 'user' ? 'user' : 'auto'
    const isReplaced = source === 'user' || this.titleSource === 'auto' || this.title === undefined
    const hasTitle = typeof title === 'string' && isReplaced
    if (hasTitle) {
      this.title = title
      this.titleSource = source
    }
    const list = toTags(tags)
    if (list !== undefined) this.tags = list
    return { hasTitle, hasTags: list !== undefined }
  }

  /** The line that repeats all of it; `undefined` where there is nothing to repeat. */
  toEvent(): NewEvent | undefined {
    const { title, titleSource, tags } = this
    if (title === undefined && tags === undefined) return undefined
    const named = title === undefined ? {} : { title, title_source: titleSource }
    return { type: 'session_meta', payload: { ...named, ...(tags && { tags: [...tags] }) } }
  }
}

/** The list of tags that a payload holds; `undefined` if it holds none. */
export function toTags(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const names = value.filter((tag): tag is string => typeof tag === 'string' && tag !== '')
  return [...new Set(names)]
}

const TAG_CHARS_MAX = 64
const TAGS_MAX = 64
// Without blanks and commas, so that a list of tags can be typed; it begins without a sign, since
// `+tag` and `-tag` are changes.
const TAG = /^[\p{L}\p{N}_.@#][\p{L}\p{N}\p{M}_.@#:/+-]*$/u

export interface TagChanges {
  /**
   * Tags that the session gets.
   *
   * @default none
   */
  add?: readonly string[] | undefined

  /**
   * Tags that it loses.
   *
   * @default none
   */
  remove?: readonly string[] | undefined
}

/** In NFC. Throws ERR_ARG for a name that cannot be a tag. */
export function normalizeTag(name: string): string {
  const tag = String(name).normalize('NFC')
  if (tag.length <= TAG_CHARS_MAX && TAG.test(tag)) return tag
  const rule = `letters, digits and _ . @ # : / + -, at most ${TAG_CHARS_MAX} characters`
  throw new SessionError('ERR_ARG', `"${tag.slice(0, 80)}" cannot be a tag: ${rule}`, { tag })
}

/** The tags after a change, in the order in which they were added. */
export function changeTags(
  present: readonly string[],
  { add = [], remove = [] }: TagChanges,
): readonly string[] {
  const added = add.map(normalizeTag)
  // Another program may have given a session a tag that could not be added here.
  const removed = new Set(remove.map((tag) => String(tag).normalize('NFC')))
  const both = added.find((tag) => removed.has(tag))
  if (both !== undefined) {
    throw new SessionError('ERR_ARG', `"${both}" cannot be added and removed at once`, {
      tag: both,
    })
  }
  const tags = [...new Set([...present.filter((tag) => !removed.has(tag)), ...added])]
  if (tags.length <= Math.max(TAGS_MAX, present.length)) return tags
  throw new SessionError('ERR_ARG', `A session has at most ${TAGS_MAX} tags`, {})
}
