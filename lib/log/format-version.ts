// A file of a newer format is read as far as it can be, and never written.

import { SessionError } from '../errors.js'
import { FORMAT_VERSION, isHeaderType } from '../format/index.js'
import type { OpenLog } from './open-for-reading.js'
import { readEventAt } from './read-event-at.js'

export function refuseNewerFormat(log: OpenLog): void {
  const { path } = log
  const header = readEventAt(log, 0)
  if (header === undefined || !isHeaderType(header.type)) return
  const { format } = (header.payload ?? {}) as { format?: unknown }
  if (typeof format !== 'number' || format <= FORMAT_VERSION) return
  throw new SessionError(
    'ERR_FORMAT_TOO_NEW',
    `${path} has format ${format}; this version writes format ${FORMAT_VERSION}`,
    { path, format, supported: FORMAT_VERSION },
  )
}
