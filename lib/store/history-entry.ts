// One line of the history, as it is handed out.

import { diagnostic } from '../format/index.js'
import type { LogEntry, LogOptions } from '../log/index.js'

export interface HistoryEntry {
  readonly prompt: string
  /** Empty for a line of somebody else that tells none. */
  readonly ts: string
  readonly session_id: string | null
  /** Where the line starts in its file. */
  readonly offset: number
  /** The name of that file when it was read: a rotation gives it another one. */
  readonly file: string
  /** The project as one absolute path without links. */
  readonly project?: string
  /** The event of the transcript that says the same. */
  readonly event_uuid?: string
}

/** What a line says; one that is no prompt is reported and passed over. */
export function historyEntryOf(
  entry: LogEntry,
  file: string,
  onDiagnostic: LogOptions['onDiagnostic'] = () => {},
): HistoryEntry | undefined {
  for (const finding of entry.diagnostics ?? []) onDiagnostic(finding)
  if (entry.kind !== 'event') return undefined
  const { byte_offset, length } = entry
  const { prompt, ts, session_id, project, event_uuid } = entry.event as unknown as Fields
  if (typeof prompt !== 'string') {
    const message = 'The line is JSON, but not a prompt of the history'
    onDiagnostic(diagnostic('bad_line', message, { file, byte_offset, length }))
    return undefined
  }
  return {
    prompt,
    ts: typeof ts === 'string' ? ts : '',
    session_id: typeof session_id === 'string' ? session_id : null,
    offset: byte_offset,
    file,
    ...(typeof project === 'string' && { project }),
    ...(typeof event_uuid === 'string' && { event_uuid }),
  }
}

type Fields = Readonly<Record<string, unknown>>
