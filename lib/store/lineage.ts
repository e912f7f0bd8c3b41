// Which other sessions a transcript stands on: the one it goes on from, and those whose bytes it
// begins with.

import { isSessionError } from '../errors.js'
import { type Lineage, parentOf, readHeaders } from './load-session.js'
import { fieldsOf, textOf } from './session-digest-events.js'
import { idOfFileName } from './session-digest-header.js'

export interface SessionLineage {
  readonly session_id: string
  /** Whose projection it starts with. */
  readonly resumedFrom: Lineage | undefined
  /** Of a fork, its source and the sources of that. */
  readonly sources: readonly string[]
}

/** Reads the headers. Of a transcript that cannot be read only its name is known. */
export function lineageOf(path: string): SessionLineage {
  const headers = headersOf(path)
  const payloads = headers.map(({ event }) => fieldsOf(event.payload))
  const own = textOf(payloads[0]?.['session_id']) ?? idOfFileName(path)
  const ids = payloads.flatMap((header) => [
    textOf(header['session_id']),
    textOf(fieldsOf(header['forked_from'])['session_id']),
  ])
  const sources = new Set(ids.filter((id) => id !== null && id !== own) as string[])
  return { session_id: own, resumedFrom: parentOf(headers), sources: [...sources] }
}

function headersOf(path: string) {
  try {
    return readHeaders(path)
  } catch (error) {
    if (!isSessionError(error)) throw error
    return []
  }
}
