// The events that make a log show a given conversation: a compaction, a rewind, missing messages.

import { isGap } from '../../chain/index.js'
import { fieldsOf } from '../../format/fields.js'
import type { SessionEvent } from '../../format/index.js'
import type { ClaudeConversation } from '../../interchange/follow.js'
import type { NewEvent } from '../../log/index.js'
import type { LoadedSession, StoreContext } from '../../store/index.js'
import { type Message, messageKey } from './message-key.js'

/** What the client would send, as events with uuids. */
export interface Wanted {
  readonly compaction: ClaudeConversation['compaction']
  /** What the compaction kept. */
  readonly kept: readonly NewEvent[]
  /** What followed it. */
  readonly messages: readonly NewEvent[]
  /** Every message of the client's file. */
  readonly all: readonly NewEvent[]
}

export interface ReconcileInput {
  readonly wanted: Wanted
  /** What the log shows now; `undefined`: it does not exist. */
  readonly loaded: LoadedSession | undefined
  /** A message that is in the log only was never sent. */
  readonly isSettled: boolean
}

/** A message that the log shows. */
interface Shown {
  readonly event: SessionEvent
  readonly key: string
}

const REASON = 'as in the transcript of the client'

/** Empty where the log shows the conversation already, or more that the client has not written yet. */
export function reconcile(store: StoreContext, input: ReconcileInput): NewEvent[] {
  const { wanted, loaded, isSettled } = input
  const { entries = [], compactedCount = 0 } = loaded?.log.projection ?? {}
  const shown = entries
    .filter((entry) => !isGap(entry))
    .map(({ event, kind }) => ({ event, key: kind === 'summary' ? '' : messageKey(event) }))
  const { compaction } = wanted
  if (loaded !== undefined && compaction === undefined) {
    return continueFrom(store, { ...input, loaded, own: shown })
  }
  const copies = () => {
    const keys = new Set(wanted.all.map(messageKey))
    const waiting = isSettled ? [] : findWaiting(shown, wanted, (key) => keys.has(key))
    return waiting.map(({ event }) => copyOf(store, event))
  }
  if (loaded === undefined || compaction?.line !== findBoundaryLine(loaded)) {
    return [...compactAs(store, input, shown), ...wanted.messages, ...copies()]
  }
  const before = shown.slice(0, compactedCount).filter(({ key }) => key !== '')
  const own = shown.slice(compactedCount)
  const same = countSame(before, wanted.kept)
  if (same === before.length) return continueFrom(store, { ...input, loaded, own })
  // It continues from the middle of what was kept.
  const target = before[same - 1]?.event.uuid ?? findSummary(shown)
  const boundary = loaded.log.projection.lastBoundary!.uuid
  const rewind = rewindTo(store, loaded, { target, prev: boundary, truncate_after: target })
  return [rewind, ...wanted.kept.slice(same), ...wanted.messages, ...copies()]
}

interface Continuation extends ReconcileInput {
  readonly loaded: LoadedSession
  /** What the log shows since the compaction. */
  readonly own: readonly Shown[]
}

function continueFrom(store: StoreContext, { wanted, loaded, own, isSettled }: Continuation) {
  const { messages } = wanted
  const same = countSame(own, messages)
  const missing = messages.slice(same)
  const extra = own.slice(same)
  if (extra.length === 0) return missing.slice()
  const left = countLeft(wanted)
  const later = new Set(missing.map(messageKey))
  const isWritten = (key: string) => later.has(key) || (left.get(key) ?? 0) > 0
  const waiting = isSettled ? [] : findWaiting(extra, wanted, isWritten)
  if (missing.length === 0 && waiting.length >= extra.length) return []
  const { projection } = loaded.log
  const root = projection.lastBoundary?.uuid ?? loaded.header?.uuid
  const prev = own[same - 1]?.event.uuid ?? root
  // Without a header there is nothing to continue from; the messages are added at the end.
  if (prev === undefined) return missing.slice()
  const copies = waiting.map(({ event }) => copyOf(store, event))
  const [first, ...others] = missing
  // Only the order differs: the client wrote a message that comes before one that a hook reported.
  if (first !== undefined && waiting.length >= extra.length) {
    return [{ ...first, prev_uuid: prev }, ...others, ...copies]
  }
  return [rewindTo(store, loaded, { target: prev, prev }), ...missing, ...copies]
}

/** The messages at the end that hooks reported and that the client has not written yet. */
function findWaiting(
  shown: readonly Shown[],
  { all }: Wanted,
  isWritten: (key: string) => boolean,
): readonly Shown[] {
  const prompts = new Set(all.map(({ payload }) => fieldsOf(payload)['prompt_id']))
  // A command that the client wrote in other words.
  const isExpanded = ({ type, payload }: SessionEvent) => {
    const { prompt_id } = fieldsOf(payload)
    return type === 'user' && prompt_id !== undefined && prompts.has(prompt_id)
  }
  const last = shown.findLastIndex(
    ({ event, key }) => key === '' || isWritten(key) || isExpanded(event),
  )
  return shown.slice(last + 1)
}

/** How often each message is in the file, without those that the model sees. */
function countLeft({ all, kept, messages }: Wanted): ReadonlyMap<string, number> {
  const left = new Map<string, number>()
  const add = (event: Message, count: number) => {
    const key = messageKey(event)
    left.set(key, (left.get(key) ?? 0) + count)
  }
  for (const event of all) add(event, 1)
  for (const event of [...kept, ...messages]) add(event, -1)
  return left
}

function countSame(shown: readonly Shown[], wanted: readonly NewEvent[]): number {
  const end = Math.min(shown.length, wanted.length)
  let count = 0
  while (count < end && shown[count]!.key === messageKey(wanted[count]!)) count++
  return count
}

/** The client's line of the last boundary that took effect. */
function findBoundaryLine({ events, log }: LoadedSession): string | undefined {
  const uuid = log.projection.lastBoundary?.uuid
  const boundary = events.findLast(({ event }) => event.uuid === uuid)?.event
  const { client_line } = fieldsOf(boundary?.payload)
  return typeof client_line === 'string' ? client_line : undefined
}

function findSummary(shown: readonly Shown[]): string {
  return shown.find(({ key }) => key === '')!.event.uuid
}

/** The client's summary and boundary, and again what it kept if the log does not show all of it. */
function compactAs(
  store: StoreContext,
  { wanted, loaded }: ReconcileInput,
  shown: readonly Shown[],
): NewEvent[] {
  const { kept, compaction } = wanted
  if (compaction === undefined) return []
  const uuids = findKept(shown, kept)
  const summaryUuid = store.env.newUuid()
  const boundaryUuid = store.env.newUuid()
  const { ts, tokensAfter } = compaction
  const payload = {
    headUuid: uuids[0] ?? null,
    anchorUuid: compaction.isPrefixKept ? boundaryUuid : summaryUuid,
    tailUuid: uuids.at(-1) ?? null,
    summary_event_uuid: summaryUuid,
    trigger: compaction.trigger,
    strategy: 'external',
    epoch: (loaded?.log.projection.contextEpoch ?? 0) + 1,
    tokens_before: compaction.tokensBefore,
    ...(tokensAfter !== undefined && { tokens_after: tokensAfter }),
    messages_summarized: compaction.summarized,
    needs_summary_retry: false,
    ...(uuids.length > 0 && { keptUuids: uuids }),
    client_line: compaction.line,
  }
  const base = loaded?.offsetBase ?? 0
  let summary = 0
  const at = (self: number) => ({
    ...payload,
    offsets: { self: self - base, head: null, tail: null, summary: summary - base },
  })
  const text = { text: compaction.summary }
  const payloadAt = (offset: number) => {
    summary = offset
    return text
  }
  const pair = [
    { type: 'summary', uuid: summaryUuid, ts, payload: text, payloadAt },
    { type: 'compaction_boundary', uuid: boundaryUuid, ts, payload: at(0), payloadAt: at },
  ] as NewEvent[]
  return uuids.length === kept.length ? pair : [...pair, ...kept]
}

/** The events that were kept; none if one of them is not shown. */
function findKept(shown: readonly Shown[], kept: readonly NewEvent[]): string[] {
  const uuids: string[] = []
  let before = shown.length
  for (const event of kept.toReversed()) {
    const key = messageKey(event)
    before = shown.findLastIndex((it, index) => index < before && it.key === key)
    if (before === -1) return []
    uuids.unshift(shown[before]!.event.uuid)
  }
  return uuids
}

function rewindTo(
  store: StoreContext,
  { log }: LoadedSession,
  { target, prev, ...rest }: { target: string; prev: string; truncate_after?: string },
): NewEvent {
  const from_uuid = log.path.at(-1)!.event.uuid
  const payload = { target_uuid: target, from_uuid, reason: REASON, ...rest }
  return { type: 'rewind', uuid: store.env.newUuid(), prev_uuid: prev, payload }
}

/** A message again, on another branch. */
function copyOf(store: StoreContext, { type, payload, ts }: SessionEvent): NewEvent {
  return { type, payload, ts, uuid: store.env.newUuid() } as NewEvent
}
