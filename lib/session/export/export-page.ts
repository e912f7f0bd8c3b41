// A session as one page of HTML that needs no network: the template of the viewer, with the lines of the
// logs as data. What it writes is what lib/viewer/data/embedded-source.ts reads.

import { resolve } from 'node:path'
import { isSessionError, SessionError } from '../../errors.js'
import { readLog } from '../../log/index.js'
import { defaultRedactor, type Redactor } from '../../redaction/index.js'
import {
  isUnreadable,
  listChapters,
  listSidechains,
  readSessionFigures,
  readSessionInfo,
  readSurroundingsWithCosts,
  rejectUnreadable,
  type SessionInfo,
  type StoreContext,
  titleOf,
  toOutline,
  toRowFigures,
  toServedEvent,
  toSessionRow,
} from '../../store/index.js'
import { transcriptOf } from '../storage.js'

/** How to export a page. */
export interface ExportPageOptions {
  /** The text of `dist/viewer/export.html`. */
  template: string

  /**
   * Write texts as they are stored, secrets included.
   *
   * @default false
   */
  allowSecrets?: boolean | undefined

  /**
   * With the logs of its subagents.
   *
   * @default true
   */
  children?: boolean | undefined

  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined
}

const TITLE = '<!--title-->'
const DATA = '<!--data-->'
/** A block of data ends after so many characters, so that no string grows with the session. */
const BLOCK_CHARS = 256 * 1024

/** Yields pieces of the page as the logs are read. */
export async function* exportPage(
  store: StoreContext,
  session: string | { readonly path: string },
  { template, allowSecrets = false, children = true, signal }: ExportPageOptions,
): AsyncGenerator<string, void, undefined> {
  const path = resolve(typeof session === 'string' ? transcriptOf(store, session) : session.path)
  const info = readSessionInfo(store, path)
  if (isUnreadable(info)) rejectUnreadable(store, info)
  const redactor = allowSecrets ? undefined : defaultRedactor
  const [head, rest] = splitTemplate(template)
  const { figures } = await readSessionFigures(store, [info], { signal })
  const counted = figures.get(info.sessionId)
  const title = info.title === null ? null : titleOf(info.title, redactor)
  const row = { ...toSessionRow(store, info, counted && toRowFigures(counted)), title }
  yield head.replace(TITLE, () => escapeHtml(row.title ?? row.id))
  const chapters = listChapters(store, path)
  const first = {
    version: 1,
    session: row,
    tree: await readTree(store, info, redactor),
    ancestors: chapters.slice(0, -1).map(({ sessionId }, at) => ({
      sessionId,
      atUuid: continuedAt(store, chapters[at + 1]!.path),
    })),
  }
  yield* toBlocks(first, linesOf(store, info, { chapters, redactor, children, signal }))
  yield rest
}

function splitTemplate(template: string): [string, string] {
  const [head, rest] = template.split(DATA)
  if (rest !== undefined) return [head!, rest]
  throw new SessionError('ERR_ARG', 'This is not the template of a page: build the viewer first')
}

async function readTree(
  store: StoreContext,
  { sessionId }: SessionInfo,
  redactor: Redactor | undefined,
) {
  try {
    return await readSurroundingsWithCosts(store, sessionId, { redactor })
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
    // A log that was named by its path and is in no store.
    const none = { branches: [], boundaries: [], rewinds: [] }
    return { ...none, ancestors: [], descendants: [], subagents: [] }
  }
}

/** The event of its parent that a session continues. */
function continuedAt(store: StoreContext, path: string): string | null {
  const info = readSessionInfo(store, path)
  return isUnreadable(info) ? null : (info.resumedFrom?.tipUuid ?? null)
}

interface LinesOptions {
  readonly chapters: ReturnType<typeof listChapters>
  readonly redactor: Redactor | undefined
  readonly children: boolean
  readonly signal: AbortSignal | undefined
}

async function* linesOf(
  store: StoreContext,
  { sessionId: session }: SessionInfo,
  { chapters, redactor, children, signal }: LinesOptions,
): AsyncGenerator<object, void, undefined> {
  const tasks = children ? listSidechains(store, { session }).sidechains : []
  const logs = [
    ...chapters.map(({ path, sessionId, end }) => ({ path, log: `s:${sessionId}`, to: end })),
    ...tasks.map(({ path, taskId }) => ({ path, log: `t:${taskId}`, to: undefined })),
  ]
  for (const { path, log, to } of logs) {
    for await (const entry of readLog(path, { to, signal, environment: store.env })) {
      const { byte_offset: offset, length } = entry
      // The last line may be unfinished; in a page that does not grow it stays so.
      const row = toOutline(entry.kind === 'torn' ? { ...entry, kind: 'damage' } : entry, redactor)
      const event =
        entry.kind === 'event' ? toServedEvent(entry.event, { redactor }).event : undefined
      yield { log, row: { ...row, type: row.type ?? '' }, entry: { offset, length, event } }
    }
  }
}

/** Values as JSON arrays in script elements that no browser executes. */
async function* toBlocks(first: object, lines: AsyncIterable<object>) {
  let block: string[] = [toScriptJson(first)]
  let chars = block[0]!.length
  for await (const line of lines) {
    const text = toScriptJson(line)
    block.push(text)
    chars += text.length
    if (chars < BLOCK_CHARS) continue
    yield toScript(block)
    block = []
    chars = 0
  }
  if (block.length > 0) yield toScript(block)
}

function toScript(values: readonly string[]): string {
  return `<script type="application/json">[${values.join(',\n')}]</script>\n`
}

/** Without `<`, so that no text ends the element that holds it or begins another one. */
function toScriptJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
