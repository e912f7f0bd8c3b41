// Events as lines of a log that is written whole and never grows: checked as for an append, each
// linked to the one before.

import { toIso } from '../../environment/index.js'
import { LineEncoder, quoteUuid } from '../../format/index.js'
import { type LogOptions, toLogSettings } from '../options.js'
import { type NewEvent, prepareAll } from './prepared-event.js'

export function encodeEvents(events: readonly NewEvent[], options: LogOptions): Buffer {
  const settings = toLogSettings(options)
  const { now, newUuid } = settings.environment
  const encoder = new LineEncoder()
  let tipJson = 'null'
  for (const prepared of prepareAll(events, settings)) {
    const { type, payloadJson, isOnChain, ts = toIso(now()), uuid = newUuid() } = prepared
    encoder.addEvent({ type, ts, uuid, prevJson: isOnChain ? tipJson : 'null', payloadJson })
    if (isOnChain) tipJson = quoteUuid(uuid)
  }
  return encoder.bytes({ isolate: false })
}
