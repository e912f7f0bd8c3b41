import type { NewEvent, Receipt } from '../log/index.js'
import { callListener, reportListenerError } from '../log/internal.js'
import type { StoreContext } from '../store/index.js'
import type { SessionSettings } from './settings.js'
import type { AppendListener } from './types.js'

/** Calls a listener after something was written; an error of it does not fail the write. */
export function notifyListener({ logOptions, env }: StoreContext, listener: () => unknown): void {
  callListener(listener, (error) => reportListenerError(error, logOptions, env.host))
}

/** Calls the listeners of a session with an event that it appended, as it was written. */
export function notifyOfAppend(
  { store, asWritten }: SessionSettings,
  listeners: Iterable<AppendListener>,
  event: NewEvent,
  receipt: Receipt,
): void {
  const written = asWritten(placed(event, receipt))
  for (const listener of listeners) notifyListener(store, () => listener(written, receipt))
}

/** A payload that contains its own offset is complete only after the write. */
function placed({ payloadAt, recorded: _, ...event }: NewEvent, { byteOffset }: Receipt): NewEvent {
  return payloadAt === undefined ? event : { ...event, payload: payloadAt(byteOffset) }
}
