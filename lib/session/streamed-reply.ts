// A reply that is recorded while the model still writes it: a partial reply, which the next part or
// the final reply supersedes.
//
// The later reply links to the event before the partial one and names it in `supersedes`. So the
// partial reply is on a branch that was left, and every reader shows the later one in its place.
// After a crash the partial reply is the newest message, marked by `partial`.

import { SessionError } from '../errors.js'
import { fieldsOf } from '../format/fields.js'
import type { PayloadInput } from '../format/index.js'
import type { NewEvent } from '../log/index.js'
import type { SessionParts } from './types.js'

/** An event to append to a session. */
export interface AppendEvent<Type extends string = string> extends NewEvent<Type> {
  /**
   * Of an `assistant` event: the reply is not complete. Stored as `partial` in its payload.
   *
   * @default false
   */
  readonly partial?: boolean | undefined
  /**
   * Of an `assistant` event: the uuid of the partial reply that this one replaces. It must be the
   * newest event of the chain.
   *
   * @default nothing is replaced
   */
  readonly supersedes?: string | undefined
}

/** What a reply that supersedes another needs to know of its session. */
type ReplyContext = Pick<SessionParts, 'log' | 'view' | 'storage'>

/** The event as it is written. */
export function toReply<Type extends string>(
  event: AppendEvent<Type>,
  context: ReplyContext,
): NewEvent<Type> {
  const { partial, supersedes, ...rest } = event
  if (rest.type !== 'assistant') {
    throw invalid(`Only an assistant event can be partial or supersede one, not "${rest.type}"`)
  }
  const marks = { ...(partial === true && { partial }), ...(supersedes && { supersedes }) }
  const payload = { ...rest.payload, ...marks } as PayloadInput<Type>
  if (supersedes === undefined) return { ...rest, payload }
  if (rest.prev_uuid !== undefined) {
    throw invalid('An event that supersedes another takes its place; leave out prev_uuid')
  }
  return { ...rest, payload, prev_uuid: placeOf(supersedes, rest.uuid, context) }
}

/** The event before the one that is superseded. */
function placeOf(
  supersedes: string,
  uuid: string | undefined,
  { log, view, storage }: ReplyContext,
): string {
  log.flush()
  const newest = view.projection.entries.at(-1)
  if (newest?.kind === 'event' && newest.event.uuid === supersedes) {
    const { prev_uuid, payload } = newest.event
    if (fieldsOf(payload)['partial'] !== true || prev_uuid === null) {
      throw invalid(`"${supersedes}" is not a partial reply; only a partial one is superseded`)
    }
    return prev_uuid
  }
  // The same append again, after it was written: the log recognises it by its uuid.
  const written = uuid === undefined ? undefined : storage.find(uuid)
  const isRepeated = fieldsOf(written?.payload)['supersedes'] === supersedes
  if (isRepeated && written!.prev_uuid !== null) return written!.prev_uuid
  throw invalid(
    `"${supersedes}" is not the newest message, so it cannot be superseded; rewind to the event before it`,
  )
}

function invalid(message: string): SessionError {
  return new SessionError('ERR_ARG', message)
}
