// What becomes of an imported event that the log may hold already. One that follows the same event as
// before is skipped. One that now follows another is written again as a copy, after a rewind: its
// parent was missing when it was imported, and has been added to the source since. All that follows it
// is copied, too, because a link leads back only.

import { hash } from 'node:crypto'
import { isOnChain, MESSAGE_TYPES } from '../../format/index.js'
import type { ImportedEvent } from '../../interchange/index.js'
import { scanLog, UuidIndex } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'

/** Events that do not change what the model sees by their place alone. */
function isSilent(type: string): boolean {
  const isView = type === 'compaction_boundary' || type === 'rewind'
  return !isView && (!MESSAGE_TYPES.has(type) || type === 'subagent_result')
}

/** Fields of a payload that name events of the same log. */
const REFERENCES = [
  'headUuid',
  'anchorUuid',
  'tailUuid',
  'summary_event_uuid',
  'boundary_uuid',
  'target_uuid',
  'from_uuid',
  'truncate_after',
]

/** Above this, a uuid with suffixes would be too long for a log. */
const NAME_CHARS_MAX = 100

export class KnownLinks {
  /** Uuid → hash of what the event follows, for millions of events. */
  readonly #links: UuidIndex
  /** Event → its copy, of the copies that this import needs. */
  readonly #copies = new Map<string, string>()
  /** New events that the model does not see → what they follow. */
  readonly #inserted = new Map<string, string>()
  #tip: string | null

  constructor(links: UuidIndex, tip: string | null) {
    this.#links = links
    this.#tip = tip
  }

  /** Lines that were damaged since are not known, and are written again. */
  static read({ env: environment }: StoreContext, path: string): KnownLinks {
    const links = new UuidIndex()
    let tip: string | null = null
    const options = { verify: true, environment }
    scanLog(
      path,
      ({ uuid, prev_uuid, type }) => {
        links.add(uuid, hashLink(prev_uuid))
        if (isOnChain({ type, prev_uuid })) tip = uuid
      },
      options,
    )
    return new KnownLinks(links, tip)
  }

  /** What to write for the event; nothing if the log holds it. */
  resolve(event: ImportedEvent): ImportedEvent[] {
    const known = this.#links.find(event.uuid)
    const prev = this.#current(event.prev_uuid)
    if (prev === null) return this.#resolveOffChain(event, known !== undefined)
    if (known === undefined) {
      if (isSilent(event.type)) this.#inserted.set(event.uuid, prev)
      this.#tip = event.uuid
      return [this.#withReferences({ ...event, prev_uuid: prev })]
    }
    return this.#follows(known, prev) ? [] : this.#copy(event, prev)
  }

  #resolveOffChain(event: ImportedEvent, isKnown: boolean): ImportedEvent[] {
    const own = this.#withReferences(event)
    if (!isKnown) return [own]
    // An edit of an event that was copied applies to the copy as well.
    const { target_uuid } = own.payload
    if (event.type !== 'message_edit' || target_uuid === event.payload['target_uuid']) return []
    const uuid = nameCopy(event.uuid, String(target_uuid))
    return this.#links.find(uuid) === undefined ? [{ ...own, uuid }] : []
  }

  /** Whether the event that is known by its link follows `prev`, but for new silent events. */
  #follows(known: number, prev: string): boolean {
    let at: string | undefined = prev
    while (at !== undefined && hashLink(at) !== known) at = this.#inserted.get(at)
    return at !== undefined
  }

  #copy(event: ImportedEvent, prev: string): ImportedEvent[] {
    const uuid = nameCopy(event.uuid, prev)
    this.#copies.set(event.uuid, uuid)
    if (this.#links.find(uuid) !== undefined) return []
    const { imported_from } = event.payload
    const own = this.#withReferences(event)
    const copy = { ...own, uuid, payload: { ...own.payload, copied_from: event.uuid } }
    const from_uuid = this.#tip
    this.#tip = uuid
    if (from_uuid === prev || from_uuid === null) return [{ ...copy, prev_uuid: prev }]
    const rewindUuid = `${uuid}~rewind`
    const reason = 'its parent was added to the source later'
    const rewind: ImportedEvent = {
      type: 'rewind',
      uuid: rewindUuid,
      prev_uuid: prev,
      ts: event.ts,
      payload: { target_uuid: prev, from_uuid, reason, imported_from },
      task: event.task,
    }
    return [rewind, { ...copy, prev_uuid: rewindUuid }]
  }

  #current(uuid: string | null): string | null {
    return uuid === null ? null : (this.#copies.get(uuid) ?? uuid)
  }

  /** Names copies instead of what they were copied from. */
  #withReferences(event: ImportedEvent): ImportedEvent {
    if (this.#copies.size === 0) return event
    const payload: Record<string, unknown> = { ...event.payload }
    const rename = (value: unknown) =>
      typeof value === 'string' ? (this.#copies.get(value) ?? value) : value
    for (const name of REFERENCES) if (name in payload) payload[name] = rename(payload[name])
    const { keptUuids } = payload
    if (Array.isArray(keptUuids)) payload['keptUuids'] = keptUuids.map(rename)
    return { ...event, payload }
  }
}

/** The same for every import of the same source. */
function nameCopy(uuid: string, prev: string): string {
  const base = uuid.length > NAME_CHARS_MAX ? hash('sha256', uuid, 'hex').slice(0, 32) : uuid
  return `${base}~${hash('sha256', prev, 'hex').slice(0, 8)}`
}

/** Fifty-two bits are enough to notice a difference, and this is done for every event of a log. */
function hashLink(prev: string | null): number {
  if (prev === null) return 0
  let high = 0x9747b28c
  let low = 0x3c6ef372
  for (let at = 0; at < prev.length; at++) {
    const code = prev.charCodeAt(at)
    high = Math.imul(high ^ code, 0x85ebca6b)
    low = Math.imul(low ^ code, 0xc2b2ae35)
    high ^= high >>> 15
    low ^= low >>> 13
  }
  return (high >>> 12) * 0x1_0000_0000 + (low >>> 0) + 1
}
