// The functions of the history under the names and with the fields of the original specification.

import { type ContextOptions, openContext } from '../context.js'
import { type AppendHistoryOptions, appendHistory } from './append.js'
import { type ReadHistoryOptions, readHistory } from './read.js'

export interface AppendHistoryAliasOptions
  extends ContextOptions,
    Omit<AppendHistoryOptions, 'eventUuid'> {
  /**
   * The event of the transcript with the same prompt; a second append of it writes nothing.
   *
   * @default none
   */
  event_uuid?: string | undefined
}

export interface HistoryReceiptAlias {
  readonly offset: number
  readonly file: string
  readonly line_number?: number
  readonly duplicate?: true
}

/** Same as `appendHistory`, with snake_case fields. */
export async function append_history(
  prompt: string,
  session_id: string,
  { event_uuid, ...options }: AppendHistoryAliasOptions = {},
): Promise<HistoryReceiptAlias | null> {
  const store = openContext(options)
  const receipt = await appendHistory(store, prompt, session_id, {
    ...options,
    eventUuid: event_uuid,
  })
  if (receipt === null) return null
  const { lineNumber, ...others } = receipt
  return { ...others, ...(lineNumber !== undefined && { line_number: lineNumber }) }
}

export interface ReadHistoryAliasOptions
  extends ContextOptions,
    Omit<ReadHistoryOptions, 'order' | 'sessionId'> {
  /**
   * Newest first.
   *
   * @default true
   */
  reverse?: boolean | undefined
  session_id?: string | undefined
}

export interface HistoryEntryAlias {
  readonly prompt: string
  readonly ts: string
  readonly session_id: string | null
  readonly offset: number
  readonly file: string
  readonly project?: string
  readonly event_uuid?: string
}

/** Same as `readHistory`, with snake_case fields. */
export async function read_history({
  reverse = true,
  session_id,
  ...options
}: ReadHistoryAliasOptions = {}): Promise<HistoryEntryAlias[]> {
  const order = reverse ? 'desc' : 'asc'
  const entries = await readHistory(openContext(options), {
    ...options,
    order,
    sessionId: session_id,
  })
  return entries.map(({ prompt, ts, sessionId, offset, file, project, eventUuid }) => ({
    prompt,
    ts,
    session_id: sessionId,
    offset,
    file,
    ...(project !== undefined && { project }),
    ...(eventUuid !== undefined && { event_uuid: eventUuid }),
  }))
}
