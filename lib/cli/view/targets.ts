// What a reader jumps to: the next prompt, error or compaction, or a text.

import { searchedText } from '../../chain/index.js'
import { shownJson } from '../../format/index.js'
import type { Line } from '../../log/index.js'
import { LinePrefilter, mayHaveType } from '../../store/index.js'
import { type Item, isError } from './items.js'

export interface Target {
  /** For messages: "no more errors". */
  readonly name: string
  readonly matches: (item: Item) => boolean
  /** False for lines that cannot match, by their bytes. */
  readonly isWanted: (line: Line) => boolean
  /** Search the rest of the session, too, from its other end. */
  readonly wraps: boolean
  /** Where a text matches: the start and the end of each match. */
  readonly highlight: (text: string) => readonly (readonly [number, number])[]
}

const NO_HIGHLIGHT = () => []

function toTarget(name: string, types: readonly string[], matches: Target['matches']): Target {
  const wanted = new Set(types)
  const isWanted = (line: Line) => mayHaveType(wanted, line)
  return { name, matches, isWanted, wraps: false, highlight: NO_HIGHLIGHT }
}

export const PROMPTS = toTarget('prompts', ['user'], ({ kind }) => kind === 'prompt')
export const ERRORS = toTarget('errors', ['user', 'tool_result'], isError)
export const BOUNDARIES = toTarget(
  'compactions',
  ['compaction_boundary'],
  ({ entry }) => entry.event?.type === 'compaction_boundary',
)

/** Finds a text. Without a capital letter it ignores case. */
export function textTarget(text: string): Target {
  const isCaseless = text === text.toLowerCase()
  const fold = (value: string) => (isCaseless ? value.toLowerCase() : value)
  const prefilter = new LinePrefilter([text.toLowerCase()])
  return {
    name: `matches of "${text}"`,
    matches: ({ blocks, entry, title }) => {
      const texts =
        blocks.length > 0 ? blocks.map(searchedText) : [title, shownJson(entry.event?.payload)]
      return texts.some((value) => fold(value).includes(text))
    },
    wraps: true,
    isWanted: (line) => prefilter.termsIn(line) !== 0,
    highlight: (value) => findAll(fold(value), text),
  }
}

function findAll(value: string, text: string): [number, number][] {
  const found: [number, number][] = []
  for (let at = value.indexOf(text); at !== -1; at = value.indexOf(text, at + text.length)) {
    found.push([at, at + text.length])
  }
  return found
}
