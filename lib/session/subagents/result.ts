// How a subagent ended, and the report to its parent. Every failure is in `errors`; a success without
// a summary is a failure.

import { toIso } from '../../environment/index.js'
import { SessionError } from '../../errors.js'
import type { PayloadByType } from '../../format/index.js'
import type { NewEvent } from '../../log/index.js'

type ResultPayload = PayloadByType['subagent_result']
export type SubagentStatus = ResultPayload['completion_status']

/** How a subagent ended. */
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
  /** All tokens it used. */
  tokens?: number | undefined
  /** Errors on the way; the reason of a failure is added. */
  errors?: readonly string[] | undefined
}

/** How a subagent ended, for its parent. Plain JSON: it can be sent to another process. */
export interface SubagentReport {
  readonly taskId: string
  readonly status: SubagentStatus
  readonly summary: string
  readonly sidechainPath: string
  /** Of its log; `null` if unknown. */
  readonly bytes: number | null
  /** Empty only for a success without errors. */
  readonly errors: readonly string[]
  readonly truncated?: true | undefined
  readonly tokens?: number | undefined
  readonly toolCallId?: string | undefined
  /** The uuid of the result, so that merging it twice writes it once. */
  readonly uuid?: string | undefined
}

/** A report with less information, as of a process that died. */
export type SubagentReportInput = Pick<SubagentReport, 'taskId' | 'status'> &
  Partial<SubagentReport>

export interface MergedResult {
  /** The payload of the `subagent_result` event. */
  readonly record: ResultPayload
  readonly errors: readonly string[]
}

/** An ending in the form in which it is stored. */
export interface SettledEnding {
  readonly status: SubagentStatus
  readonly summary: string
  /** Of the whole summary, in code points: more than is stored if it was cut. */
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
    throw new SessionError(
      'ERR_ARG',
      'A subagent that calls finish cannot have the status "crashed"',
    )
  }
  return settle(ending)
}

/** Also one that only its parent reports. */
type AnyEnding = Omit<SubagentEnding, 'status'> & { status: SubagentStatus }

function settle(ending: AnyEnding): SettledEnding {
  const { status, summary = '', reason, tokens, errors = [] } = ending
  checkEnding(ending)
  const isSilent = status === 'completed' && summary.trim() === ''
  const why = isSilent ? 'empty_summary' : reason
  const failure = status === 'completed' && !isSilent ? [] : [why ?? status]
  const bounded = boundText(summary, SUMMARY_CHARS_MAX)
  return {
    status: isSilent ? 'failed' : status,
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
    throw new SessionError(
      'ERR_ARG',
      `The status of a subagent must be one of ${known}, not "${status}"`,
    )
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
    throw new SessionError('ERR_ARG', 'tokens must be a non-negative integer', { tokens })
  }
}

export function toReport(
  { status, summary, isTruncated, tokens, errors }: SettledEnding,
  rest: Pick<SubagentReportInput, 'taskId' | 'sidechainPath' | 'bytes' | 'toolCallId' | 'uuid'>,
): SubagentReport {
  const { taskId, sidechainPath = '', bytes = null, toolCallId, uuid } = rest
  const truncated = isTruncated || undefined
  const ended = { taskId, status, summary, sidechainPath, bytes, errors }
  return { ...ended, truncated, tokens, toolCallId, uuid }
}

/** Applies the same rules to a report of the caller. */
export function settleReport(report: SubagentReportInput): SubagentReport {
  const { status, summary, tokens, errors, truncated } = report
  if (typeof report.taskId !== 'string') throw new TypeError('A report needs a taskId')
  const reason = errors?.length ? errors[0] : undefined
  const ending = settle({ status, summary, tokens, errors, reason })
  return toReport({ ...ending, isTruncated: ending.isTruncated || truncated === true }, report)
}

export function resultEvent(report: SubagentReport): NewEvent<'subagent_result'> {
  const { taskId, status, summary, sidechainPath, bytes, errors, uuid } = report
  const payload = {
    task_id: taskId,
    completion_status: status,
    summary,
    sidechain_path: sidechainPath,
    bytes,
    errors: [...errors],
    truncated: report.truncated,
    tokens: report.tokens,
    tool_call_id: report.toolCallId,
  }
  return { type: 'subagent_result', uuid, payload }
}

/** The last line of a subagent's log; `bytes` is the size before it. */
export function terminatorEvent(
  ending: SettledEnding,
  { bytes, now }: { bytes: number; now: number },
): NewEvent {
  const { status, summary, summaryChars, isTruncated, tokens, reason } = ending
  return {
    type: 'sidechain_terminator',
    payload: {
      end_ts: toIso(now),
      completion_status: status,
      summary,
      summary_chars: summaryChars,
      bytes,
      truncated: isTruncated || undefined,
      tokens,
      reason,
    },
  }
}

/** With a summary that is shorter by `excessBytes`. */
export function shortenSummary(ending: SettledEnding, excessBytes: number): SettledEnding {
  const characters = [...ending.summary]
  let freedBytes = -Buffer.byteLength(MARKER)
  while (freedBytes < excessBytes && characters.length > 0) {
    freedBytes += Buffer.byteLength(characters.pop()!)
  }
  const summary = freedBytes < excessBytes ? '' : `${characters.join('')}${MARKER}`
  return { ...ending, summary, isTruncated: true }
}

/** Cut between characters, with a marker at the end. */
function boundText(text: string, charsMax: number): string {
  // A character has two UTF-16 units at most.
  const characters = [...text.slice(0, 2 * charsMax + 2)]
  if (characters.length <= charsMax) return text
  return `${characters.slice(0, charsMax - MARKER.length).join('')}${MARKER}`
}

function countChars(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
