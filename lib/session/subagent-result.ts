// How a subagent ended, and what its parent is told of it. Whatever is no success says so in
// `errors`; a success without a word is none.

import { SessionError } from '../errors.js'
import type { PayloadByType } from '../format/index.js'
import type { NewEvent } from '../log/index.js'

type ResultPayload = PayloadByType['subagent_result']
export type SubagentStatus = ResultPayload['completion_status']

export interface SubagentEnding {
  status: Exclude<SubagentStatus, 'crashed'>
  /**
   * What comes back to the parent, cut to 2000 characters.
   *
   * @default ''
   */
  summary?: string | undefined
  /** Why it ended as it did. */
  reason?: string | undefined
  /** What it used, in all. */
  tokens?: number | undefined
  /** What went wrong on the way; the reason of a failure is added to it. */
  errors?: readonly string[] | undefined
}

/** What a parent needs to know of a subagent that ended. Plain JSON: it can cross processes. */
export interface SubagentReport {
  readonly task_id: string
  readonly completion_status: SubagentStatus
  readonly summary: string
  readonly sidechain_path: string
  /** Of its log; `null` where nobody knows. */
  readonly bytes: number | null
  /** Empty for a success without complaints, and only then. */
  readonly errors: readonly string[]
  readonly truncated?: true | undefined
  readonly tokens?: number | undefined
  readonly tool_call_id?: string | undefined
  /** Names the result, so that merging it twice writes it once. */
  readonly uuid?: string | undefined
}

/** A report of somebody who knows less, as of a process that died. */
export type LooseReport = Pick<SubagentReport, 'task_id' | 'completion_status'> &
  Partial<SubagentReport>

export interface MergedResult {
  /** The payload of the `subagent_result` event. */
  readonly record: ResultPayload
  readonly errors: readonly string[]
}

/** An ending in the form in which it is stored. */
export interface SettledEnding {
  readonly completion_status: SubagentStatus
  readonly summary: string
  /** As it was given, in code points: more than is stored when it was cut. */
  readonly summaryChars: number
  readonly isTruncated: boolean
  readonly reason: string | undefined
  readonly tokens: number | undefined
  readonly errors: readonly string[]
}

const STATUSES: readonly string[] = ['completed', 'timeout', 'aborted', 'failed', 'crashed']
const SUMMARY_CHARS_MAX = 2000
const REASON_CHARS_MAX = 200
const MARKER = '… [cut]'

export function settleEnding(ending: SubagentEnding): SettledEnding {
  if (String(ending.status) === 'crashed') {
    throw new SessionError('ERR_ARG', 'Who can still say how it ended has not crashed')
  }
  return settle(ending)
}

/** Also one that its parent only noticed. */
type AnyEnding = Omit<SubagentEnding, 'status'> & { status: SubagentStatus }

function settle(ending: AnyEnding): SettledEnding {
  const { status, summary = '', reason, tokens, errors = [] } = ending
  checkEnding(ending)
  const isSilent = status === 'completed' && summary.trim() === ''
  const why = isSilent ? 'empty_summary' : reason
  const failure = status === 'completed' && !isSilent ? [] : [why ?? status]
  const bounded = boundText(summary, SUMMARY_CHARS_MAX)
  return {
    completion_status: isSilent ? 'failed' : status,
    summary: bounded,
    summaryChars: countChars(summary),
    isTruncated: bounded !== summary,
    reason: why && boundText(why, REASON_CHARS_MAX),
    tokens,
    errors: [...new Set([...errors, ...failure])],
  }
}

function checkEnding({ status, summary, reason, tokens, errors }: AnyEnding): void {
  if (!STATUSES.includes(String(status))) {
    const known = STATUSES.slice(0, -1).join(', ')
    throw new SessionError('ERR_ARG', `A subagent ends as one of ${known}, not "${status}"`)
  }
  for (const [name, value] of Object.entries({ summary, reason })) {
    if (value !== undefined && typeof value !== 'string') {
      throw new TypeError(`The ${name} of a subagent must be a string`)
    }
  }
  if (errors !== undefined && !errors.every((error) => typeof error === 'string')) {
    throw new TypeError('The errors of a subagent must be strings')
  }
  if (tokens !== undefined && (!Number.isSafeInteger(tokens) || tokens < 0)) {
    throw new SessionError('ERR_ARG', 'tokens must be a whole number from 0', { tokens })
  }
}

export function reportOf(
  ending: SettledEnding,
  rest: Pick<LooseReport, 'task_id' | 'sidechain_path' | 'bytes' | 'tool_call_id' | 'uuid'>,
): SubagentReport {
  const { completion_status, summary, isTruncated, tokens, errors } = ending
  const { task_id, sidechain_path = '', bytes = null, tool_call_id, uuid } = rest
  return {
    task_id,
    completion_status,
    summary,
    sidechain_path,
    bytes,
    errors,
    truncated: isTruncated || undefined,
    tokens,
    tool_call_id,
    uuid,
  }
}

/** The same rules once more, for a report from outside. */
export function settleReport(report: LooseReport): SubagentReport {
  const { completion_status: status, summary, tokens, errors, truncated } = report
  if (typeof report.task_id !== 'string') throw new TypeError('A report names its task_id')
  const reason = errors?.length ? errors[0] : undefined
  const ending = settle({ status, summary, tokens, errors, reason })
  return reportOf({ ...ending, isTruncated: ending.isTruncated || truncated === true }, report)
}

export function resultEvent({ uuid, ...record }: SubagentReport): NewEvent<'subagent_result'> {
  return { type: 'subagent_result', uuid, payload: { ...record, errors: [...record.errors] } }
}

/** The last line of a subagent's log; `bytes` are those before it. */
export function terminatorEvent(
  ending: SettledEnding,
  { bytes, now }: { bytes: number; now: number },
): NewEvent {
  const { completion_status, summary, summaryChars, isTruncated, tokens, reason } = ending
  return {
    type: 'sidechain_terminator',
    payload: {
      end_ts: new Date(now).toISOString(),
      completion_status,
      summary,
      summary_chars: summaryChars,
      bytes,
      truncated: isTruncated || undefined,
      tokens,
      reason,
    },
  }
}

/** With a summary that is shorter by so many bytes. */
export function shortened(ending: SettledEnding, excessBytes: number): SettledEnding {
  const characters = [...ending.summary]
  let freedBytes = -Buffer.byteLength(MARKER)
  while (freedBytes < excessBytes && characters.length > 0) {
    freedBytes += Buffer.byteLength(characters.pop()!)
  }
  const summary = freedBytes < excessBytes ? '' : `${characters.join('')}${MARKER}`
  return { ...ending, summary, isTruncated: true }
}

/** Cut between characters, with a mark that says so. */
function boundText(text: string, charsMax: number): string {
  // Twice as many units hold any text that is short enough.
  const characters = [...text.slice(0, 2 * charsMax + 2)]
  if (characters.length <= charsMax) return text
  return `${characters.slice(0, charsMax - MARKER.length).join('')}${MARKER}`
}

function countChars(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
