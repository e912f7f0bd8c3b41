// Which event of a log is meant: by its uuid, by the beginning of it, or by counting messages from the end.

import { isGap } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { scanLog } from '../../log/index.js'
import { findEvent, type LoadedSession, loadLatest } from '../../store/index.js'
import type { Call } from '../command.js'

// Fewer characters would mean too many events by chance.
const BEGINNING_CHARS_MIN = 4
const CANDIDATES_SHOWN = 5

/** More of a context is not read: no model takes it, and memory and time stay bounded. */
export const CONTEXT_BYTES_MAX = 16 * 1024 * 1024

/** Nothing needs to be searched for a whole uuid. */
const WHOLE_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The text that help pages use for an operand or option that takes an event. */
export const EVENT_TEXT =
  'uuid, the beginning of one (4 characters or more), or -N: the Nth last message'

/** The event that an option names; `undefined` without the option. `path` is the log it is in. */
export function readEventOption(
  call: Pick<Call, 'store' | 'value'>,
  option: string,
  path: () => string,
): string | undefined {
  const given = call.value(option)
  return given === undefined ? undefined : findEventUuid(call, path(), given)
}

/**
 * The uuid of the event that is meant. What is a uuid already, or begins none, is returned as it is: the
 * library reports what is missing. Throws `ERR_AMBIGUOUS` when several events begin like this.
 */
export function findEventUuid(call: Pick<Call, 'store'>, path: string, given: string): string {
  if (WHOLE_UUID.test(given)) return given
  const back = /^-(\d+)$/.exec(given)
  if (back !== null) return findMessage(call, path, Number(back[1]))
  if (given.length < BEGINNING_CHARS_MIN || findEvent(call.store, path, given) !== undefined)
    return given
  const found = new Set<string>()
  scanLog(
    path,
    ({ uuid }) => {
      if (uuid.startsWith(given)) found.add(uuid)
    },
    { environment: call.store.env },
  )
  const [first = given, ...others] = found
  if (others.length === 0) return first
  const shown = [...found].slice(0, CANDIDATES_SHOWN).join(', ')
  const what = `"${given}" matches ${found.size} events: ${shown}`
  throw new SessionError('ERR_AMBIGUOUS', what, { event: given, count: found.size })
}

function findMessage({ store }: Pick<Call, 'store'>, path: string, back: number): string {
  const options = { bytesMax: CONTEXT_BYTES_MAX }
  const loaded = loadLatest(store, path, options, (loaded) => uuidsOf(loaded).length >= back)
  const events = uuidsOf(loaded)
  const uuid = back === 0 ? undefined : events.at(-back)
  if (uuid !== undefined) return uuid
  const what = `The model sees ${events.length} messages of ${path}, so there is no message -${back}`
  throw new SessionError('ERR_NOT_FOUND', what, { path, back })
}

/** Of the messages that the model sees, as far as they were read without a gap. */
function uuidsOf({ log }: LoadedSession): string[] {
  const { entries } = log.projection
  const end = entries.slice(entries.findLastIndex((entry) => entry.kind === 'opaque') + 1)
  return end.flatMap((entry) => (isGap(entry) ? [] : entry.event.uuid))
}
