// One import of a pi session. Every entry stays on the chain, also those the model does not see: its
// children name it as their parent.

import { Emitter } from '../import/emitter.js'
import { countOf, fieldsOf, isObject, textOf } from '../import/fields.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type ImportRun,
} from '../import/importer.js'
import { type Edit, listChanges, NO_EDITS } from './edits.js'
import { readUsage, replaceContent, toEvent, toPrompt } from './messages.js'
import { type Cut, findKept, NOTHING_CUT, type Node } from './path.js'

const FORMAT = 'pi'
const NEWEST_VERSION = 3

const ROOT: Node = {
  uuid: HEADER_UUID,
  up: undefined,
  kind: 'hidden',
  count: 0,
  cut: NOTHING_CUT,
  edits: NO_EDITS,
  byteOffset: 0,
  length: 0,
}

export class PiRun implements ImportRun {
  readonly #emitter: Emitter
  readonly #reread: ImportContext['reread']
  readonly #nodes = new Map<string, Node>()
  #tip = ROOT
  /** Of the first version: entries have no ids, and compactions count them from the header on. */
  #isFirstVersion = false
  #index = 0
  #isDamaged = false

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(FORMAT, context)
    this.#reread = context.reread
  }

  add(record: ForeignRecord): void {
    this.#emitter.begin(record, record.value['timestamp'])
    if (record.value['type'] === 'session') this.#addHeader(record.value)
    else this.#addEntry(record)
  }

  damage(): void {
    this.#isDamaged = true
  }

  #addHeader(value: ForeignValue): void {
    const version = countOf(value['version']) ?? 1
    this.#isFirstVersion = version < 2
    if (version > NEWEST_VERSION) this.#emitter.leaveUninterpreted(`version ${version}`)
    this.#emitter.keep('session')
  }

  #addEntry(record: ForeignRecord): void {
    const { value } = record
    this.#index++
    const uuid = this.#emitter.uuidOf(this.#isFirstVersion ? `entry-${this.#index}` : value['id'])
    if (!this.#emitter.isFirst(uuid)) return
    const up = this.#findParent(value)
    const node = this.#emitEntry(record, uuid, up)
    this.#applyEdits(this.#tip.edits, node)
    this.#tip = node
    this.#nodes.set(uuid, node)
    this.#isDamaged = false
  }

  #findParent({ parentId }: ForeignValue): Node {
    if (this.#isFirstVersion || parentId === undefined) return this.#tip
    if (parentId === null) return ROOT
    const node = this.#nodes.get(String(parentId))
    if (node !== undefined) return node
    this.#emitter.repair(this.#isDamaged ? 'parent_damaged' : 'parent_missing')
    return this.#isDamaged ? this.#tip : ROOT
  }

  #emitEntry({ value, byteOffset, length }: ForeignRecord, uuid: string, up: Node): Node {
    const { type } = value
    const node: Node = { ...up, uuid, up, kind: 'hidden', byteOffset, length }
    if (type === 'compaction') return { ...node, ...this.#emitCompaction(value, uuid, up) }
    const event = toEvent(value, up.count === 0)
    if (typeof event !== 'string') {
      this.#emitter.emit({ uuid, prev: up.uuid, ...event })
      if (type === 'branch_summary') this.#emitUsage(uuid, value)
      const kind = event.type === 'system' ? 'system' : 'message'
      return { ...node, kind, count: up.count + 1 }
    }
    if (event === 'unknown') this.#emitter.leaveUninterpreted(nameOf(value))
    const title = type === 'session_info' ? textOf(value['name']) : undefined
    if (title !== undefined) this.#emitter.title(title, 'user')
    this.#emitter.keep(String(type), { uuid, prev: up.uuid })
    this.#emitUsage(uuid, value)
    return type === 'context_edit' ? { ...node, edits: this.#readEdit(value, up) } : node
  }

  /** Of anything but a reply: it counts for the session, and belongs to no message. */
  #emitUsage(uuid: string, value: ForeignValue): void {
    const usage = readUsage(value)
    // Of a reply that was interrupted, pi often knows nothing.
    if (usage === undefined || !Object.values(usage).some((count) => count > 0)) return
    const model = textOf(value['model'] ?? fieldsOf(value['message'])['model'])
    const payload = model === undefined ? { usage } : { model, usage }
    this.#emitter.emit({ type: `${FORMAT}:usage`, uuid: `${uuid}~usage`, prev: null, payload })
  }

  #readEdit({ targetId, replacement }: ForeignValue, up: Node): Edit {
    const target = this.#nodes.get(String(targetId))
    // pi ignores an edit of an entry that is sent in no form.
    if (target === undefined || target.kind !== 'message') return up.edits
    return { target, replacement: replacement ?? null, up: up.edits, depth: up.edits.depth + 1 }
  }

  /** Edits belong to a branch, and ours to the whole log: what is different on the new tip is edited again. */
  #applyEdits(before: Edit, { edits }: Node): void {
    let count = 0
    for (const { target, replacement } of listChanges(before, edits)) {
      const payload = replacement === null ? null : this.#toPayload(target, replacement)
      this.#emitter.edit(target.uuid, payload, `edit-${++count}`)
    }
  }

  /** `replacement` is `undefined` for the message as it was. */
  #toPayload(target: Node, replacement: unknown): Record<string, unknown> | null {
    const { value } = this.#reread(target)
    const edited = replacement === undefined ? value : replaceContent(value, replacement)
    const event = toEvent(edited, target.count === 1)
    return typeof event === 'string' ? null : event.payload
  }

  #emitCompaction(value: ForeignValue, uuid: string, up: Node): Pick<Node, 'cut' | 'edits'> {
    const text = textOf(value['summary']) ?? ''
    if (text === '') this.#emitter.repair('summary_missing')
    const kept = findKept(up, this.#readFirstKept(value, uuid))
    if (kept.isMissing) this.#emitter.repair('first_kept_missing')
    if (kept.isCovered) this.#emitter.repair('kept_missing')
    const { first, before } = kept
    const promptUuid = this.#emitPrompt(value, uuid, up)
    const summaryUuid = `${uuid}~summary`
    const epoch = up.cut.epoch + 1
    // The prompt is sent before the summary, and what is kept after it. Without anything before what is
    // kept, it cannot be said where that begins, and the prompt stays behind it.
    const isLed = promptUuid !== undefined && (first === undefined || before !== undefined)
    this.#emitter.compact({
      summaryUuid,
      boundaryUuid: uuid,
      prev: promptUuid ?? up.uuid,
      text,
      kept: isLed ? [promptUuid] : first === undefined ? null : { from: first.uuid },
      isPrefixKept: isLed,
      coveredTo: isLed && first !== undefined ? before : undefined,
      trigger: value['fromHook'] === true ? 'external' : 'auto',
      tokensBefore: countOf(value['tokensBefore']),
      summarized: first === undefined ? up.count : first.count - 1,
      epoch,
    })
    this.#emitUsage(uuid, value)
    const lead = text === '' ? promptUuid : summaryUuid
    const cut: Cut = { epoch, start: first?.count ?? up.count + 1, count: up.count, lead }
    // Changes of the prompt that are kept are part of the new one.
    let { edits } = up
    for (const target of kept.prompts) {
      edits = { target, replacement: null, up: edits, depth: edits.depth + 1 }
    }
    return { cut, edits }
  }

  /** The whole prompt at the time of the compaction. Returns its uuid, if the entry has one. */
  #emitPrompt({ systemMessage }: ForeignValue, uuid: string, up: Node): string | undefined {
    if (!isObject(systemMessage)) return undefined
    const payload = toPrompt(systemMessage, true)
    if (payload['content'] === '') return undefined
    const promptUuid = `${uuid}~system`
    this.#emitter.emit({ type: 'system', uuid: promptUuid, prev: up.uuid, payload })
    return promptUuid
  }

  /** `undefined` if it keeps nothing: one that keeps nothing names itself. */
  #readFirstKept(value: ForeignValue, uuid: string): string | undefined {
    const index = countOf(value['firstKeptEntryIndex'])
    if (this.#isFirstVersion && index !== undefined) return `entry-${index}`
    const id = value['firstKeptEntryId'] ?? undefined
    return id === undefined || id === uuid ? undefined : String(id)
  }
}

function nameOf({ type, message }: ForeignValue): string {
  return type === 'message' ? `role ${String(fieldsOf(message)['role'])}` : String(type)
}
