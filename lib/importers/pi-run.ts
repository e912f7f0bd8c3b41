// One session file of pi, of any of its three versions. Entries name their parents, so every entry
// stays on the chain, also those the model does not see: the last line must be the tip.

import { Emitter } from './emitter.js'
import { countOf, fieldsOf, textOf } from './fields.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type ImportRun,
} from './importer.js'
import { customOf, eventOf, type PiEvent } from './pi-messages.js'
import { SeenIds } from './seen-ids.js'

export const PI = 'pi'

interface Node {
  readonly uuid: string
  readonly up: Node | undefined
  readonly isMessage: boolean
  /** How many compactions lie on the path to it. */
  readonly epoch: number
}

const ROOT: Node = { uuid: HEADER_UUID, up: undefined, isMessage: false, epoch: 0 }

export class PiRun implements ImportRun {
  readonly #emitter: Emitter
  readonly #nodes = new Map<string, Node>()
  readonly #seen = new SeenIds()
  #tip = ROOT
  /** Of the first version: entries have no ids, and compactions count them from the header on. */
  #isFirstVersion = false
  #index = 0
  #isDamaged = false

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(PI, context)
  }

  take(record: ForeignRecord): void {
    const { value } = record
    const ts = this.#emitter.timeOf(value['timestamp'], record)
    if (value['type'] === 'session') this.#takeHeader(record, ts)
    else this.#takeEntry(record, ts)
  }

  #takeEntry(record: ForeignRecord, ts: string): void {
    const { value } = record
    this.#index++
    const id = this.#isFirstVersion ? `entry-${this.#index}` : value['id']
    const uuid = this.#emitter.uuidOf(id, record)
    if (!this.#seen.add(uuid)) {
      this.#emitter.sink.dropped('repeated_record', record)
      return
    }
    const parent = this.#parentOf(record)
    const isMessage = this.#emit({ record, uuid, parent, ts })
    const epoch = parent.epoch + (value['type'] === 'compaction' ? 1 : 0)
    this.#tip = { uuid, up: parent, isMessage, epoch }
    this.#nodes.set(uuid, this.#tip)
    this.#isDamaged = false
  }

  damage(): void {
    this.#isDamaged = true
  }

  end(): void {}

  #takeHeader(record: ForeignRecord, ts: string): void {
    this.#isFirstVersion = (countOf(record.value['version']) ?? 1) < 2
    const uuid = this.#emitter.uuidOf(undefined, record)
    this.#emitter.verbatim('session', { uuid, prev: null }, record, ts)
  }

  #parentOf(record: ForeignRecord): Node {
    const { parentId } = record.value
    if (this.#isFirstVersion || parentId === undefined) return this.#tip
    if (parentId === null) return ROOT
    const node = this.#nodes.get(String(parentId))
    if (node !== undefined) return node
    this.#emitter.sink.repaired(this.#isDamaged ? 'parent_damaged' : 'parent_missing', record)
    return this.#isDamaged ? this.#tip : ROOT
  }

  /** Whether the model sees it. */
  #emit(entry: Entry): boolean {
    const { record, uuid, parent, ts } = entry
    const { value } = record
    if (value['type'] === 'compaction') return this.#compact(entry)
    if (value['type'] === 'session_info') {
      const title = textOf(value['name'])
      if (title !== undefined) this.#emitter.title(title, 'user', record, ts)
    }
    const event = messageOf(value)
    if (event === undefined) {
      this.#emitter.verbatim(String(value['type']), { uuid, prev: parent.uuid }, record, ts)
      return false
    }
    this.#emitter.emit({ ...event, uuid, prev: parent.uuid }, record, ts)
    return true
  }

  #compact({ record, uuid, parent, ts }: Entry): boolean {
    const { value } = record
    const text = textOf(value['summary']) ?? ''
    if (text === '') this.#emitter.sink.repaired('summary_missing', record)
    const { first, count } = this.#firstKept(value, parent, record)
    this.#emitter.compact(
      {
        summaryUuid: `${uuid}~summary`,
        boundaryUuid: uuid,
        prev: parent.uuid,
        text,
        kept: first === undefined ? null : { from: first },
        trigger: value['fromHook'] === true ? 'external' : 'auto',
        tokensBefore: countOf(value['tokensBefore']),
        summarized: count,
        epoch: parent.epoch + 1,
      },
      record,
      ts,
    )
    return false
  }

  /** The first message from the first kept entry on, and how many stand before it. */
  #firstKept(
    value: ForeignValue,
    parent: Node,
    record: ForeignRecord,
  ): { first: string | undefined; count: number } {
    const index = countOf(value['firstKeptEntryIndex'])
    const id =
      this.#isFirstVersion && index !== undefined ? `entry-${index}` : value['firstKeptEntryId']
    let first: string | undefined
    let isFound = false
    let count = 0
    for (let at: Node | undefined = parent; at !== undefined; at = at.up) {
      if (isFound && at.isMessage) count++
      if (!isFound && at.isMessage) first = at.uuid
      if (at.uuid === id) isFound = true
    }
    if (isFound) return { first, count }
    if (id !== undefined && id !== null) this.#emitter.sink.repaired('first_kept_missing', record)
    return { first: undefined, count: 0 }
  }
}

interface Entry {
  readonly record: ForeignRecord
  readonly uuid: string
  readonly parent: Node
  readonly ts: string
}

function messageOf(value: ForeignValue): PiEvent | undefined {
  switch (value['type']) {
    case 'message':
      return eventOf(fieldsOf(value['message']))
    case 'custom_message':
      return { type: 'user', payload: customOf(value) }
    case 'branch_summary': {
      const from_id = textOf(value['fromId'])
      const content = textOf(value['summary']) ?? ''
      const payload = { content, is_meta: true, ...(from_id !== undefined && { from_id }) }
      return { type: 'user', payload }
    }
    default:
      return undefined
  }
}
