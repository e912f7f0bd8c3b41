// Projects that moved. Nobody guesses that a folder which is gone is the one that turned up
// elsewhere: somebody says so, and it is written down once instead of in every session.

import { isSessionError, SessionError } from '../errors.js'
import type { PayloadByType } from '../format/index.js'
import { appendOnce, type LogOptions, readLogSync } from '../log/index.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { normalizeProject } from './project.js'
import { fieldsOf } from './session-digest-events.js'

export type Relocation = PayloadByType['relocation']

export interface RelocateOptions extends StoreOptions {
  /** Where the project was, in any spelling. */
  from: string
  /** Where it is now. */
  to: string
  environment?: LogOptions['environment']
}

/**
 * Says that a project moved: from now on whoever asks for `to` also finds what was recorded under
 * `from`, and what had moved there before. Whoever asks for `from` finds what they always found.
 */
export async function relocateProject(options: RelocateOptions): Promise<Relocation> {
  const { from, to, environment } = options
  const payload: Relocation = {
    from_normalized: normalizeProject(from),
    to_normalized: normalizeProject(to),
    from,
    to,
  }
  if (payload.from_normalized === payload.to_normalized) {
    throw new SessionError('ERR_ARG', `"${from}" and "${to}" are the same folder`, { from, to })
  }
  const { relocationsPath } = layoutOf(options)
  await appendOnce(relocationsPath, [{ type: 'relocation', payload }], {
    channel: 'store',
    lineNumbers: false,
    environment,
  })
  return payload
}

/**
 * Everything a project was recorded under: its own names, and those of all that moved to it, over
 * any number of moves. Costs one look for a file that is usually not there.
 */
export function formerNames(names: Iterable<string>, options: StoreOptions): Set<string> {
  const moves = readMoves(layoutOf(options).relocationsPath)
  const found = new Set(names)
  // A set grows while it is walked, so chains are followed and circles end.
  for (const name of found) for (const former of moves.get(name) ?? []) found.add(former)
  return found
}

/** By where it went, where it was. */
function readMoves(path: string): ReadonlyMap<string, readonly string[]> {
  const moves = new Map<string, string[]>()
  try {
    for (const entry of readLogSync(path)) {
      if (entry.kind !== 'event' || entry.event.type !== 'relocation') continue
      const {
        from,
        from_normalized: former,
        to_normalized: present,
      } = fieldsOf(entry.event.payload)
      if (typeof former !== 'string' || typeof present !== 'string') continue
      const formers = moves.get(present) ?? []
      formers.push(former)
      // Recorded when its links led elsewhere, it may be known by the name people gave.
      if (typeof from === 'string') formers.push(from)
      moves.set(present, formers)
    }
  } catch (error) {
    if (!isSessionError(error, 'ERR_NOT_FOUND')) throw error
  }
  return moves
}
