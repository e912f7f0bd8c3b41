// pi: `~/.pi/agent/sessions/--<cwd>--/<time>_<id>.jsonl`. Entries name their parents, so every entry
// stays on the chain, also those the model does not see: the last line of the file is the tip. Files
// of the first version have no ids and no branches.

import { Emitter } from '../import/emitter.js'
import { countOf, firstText, textOf, toTime } from '../import/fields.js'
import {
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type Importer,
  type ImportRun,
  type SourceFacts,
} from '../import/importer.js'
import { entryEvent } from './messages.js'

const FORMAT = 'pi'

const TYPES = new Set([
  'session',
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
])

export const pi: Importer = {
  format: FORMAT,
  harness: 'pi',
  folder: {
    variable: 'PI_CODING_AGENT_DIR',
    home: ['.pi', 'agent'],
    inside: ['sessions'],
    depth: 1,
    isTranscript: (name) => name.endsWith('.jsonl'),
  },
  detects: ([head]) => head !== undefined && isHeader(head),
  isRecord: ({ type, timestamp }) =>
    typeof type === 'string' && TYPES.has(type) && timestamp !== undefined,
  describe,
  start: (context) => new PiRun(context),
}

function isHeader({ type, id, timestamp }: ForeignValue): boolean {
  return type === 'session' && typeof id === 'string' && timestamp !== undefined
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const header = first.find(isHeader) ?? {}
  const previous = firstText([header['parentSession'], header['branchedFrom']])
  return {
    sessionId: textOf(header['id']) ?? name,
    startTs: toTime(header['timestamp']),
    cwd: textOf(header['cwd']),
    // Named by its path; the id is the last part of the file name.
    previousSessionKey: previous && /([^/\\_]+?)(?:\.jsonl)?$/.exec(previous)?.[1],
  }
}

interface Node {
  readonly uuid: string
  readonly up: Node | undefined
  readonly isMessage: boolean
  /** The number of compactions on the path to it. */
  readonly epoch: number
}

const ROOT: Node = { uuid: HEADER_UUID, up: undefined, isMessage: false, epoch: 0 }

class PiRun implements ImportRun {
  readonly #emitter: Emitter
  readonly #nodes = new Map<string, Node>()
  #tip = ROOT
  /** Of the first version: entries have no ids, and compactions count them from the header on. */
  #isFirstVersion = false
  #index = 0
  #isDamaged = false

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(FORMAT, context)
  }

  add(record: ForeignRecord): void {
    const { value } = record
    this.#emitter.begin(record, value['timestamp'])
    if (value['type'] === 'session') {
      this.#isFirstVersion = (countOf(value['version']) ?? 1) < 2
      this.#emitter.keep('session')
    } else this.#addEntry(value)
  }

  damage(): void {
    this.#isDamaged = true
  }

  #addEntry(value: ForeignValue): void {
    this.#index++
    const uuid = this.#emitter.uuidOf(this.#isFirstVersion ? `entry-${this.#index}` : value['id'])
    if (!this.#emitter.isFirst(uuid)) return
    const up = this.#findParent(value)
    const isMessage = this.#emit(value, uuid, up)
    const epoch = up.epoch + (value['type'] === 'compaction' ? 1 : 0)
    this.#tip = { uuid, up, isMessage, epoch }
    this.#nodes.set(uuid, this.#tip)
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

  /** Whether the model sees it. */
  #emit(value: ForeignValue, uuid: string, parent: Node): boolean {
    const { type } = value
    if (type === 'compaction') return this.#compact(value, uuid, parent)
    const title = type === 'session_info' ? textOf(value['name']) : undefined
    if (title !== undefined) this.#emitter.title(title, 'user')
    const event = entryEvent(value)
    const at = { uuid, prev: parent.uuid }
    if (event === undefined) this.#emitter.keep(String(type), at)
    else this.#emitter.emit({ ...at, ...event })
    return event !== undefined
  }

  #compact(value: ForeignValue, uuid: string, parent: Node): boolean {
    const text = textOf(value['summary']) ?? ''
    if (text === '') this.#emitter.repair('summary_missing')
    const { first, count } = this.#findFirstKept(value, parent)
    this.#emitter.compact({
      summaryUuid: `${uuid}~summary`,
      boundaryUuid: uuid,
      prev: parent.uuid,
      text,
      kept: first === undefined ? null : { from: first },
      trigger: value['fromHook'] === true ? 'external' : 'auto',
      tokensBefore: countOf(value['tokensBefore']),
      summarized: count,
      epoch: parent.epoch + 1,
    })
    return false
  }

  /** The first message from the first kept entry on, and the number of messages before it. */
  #findFirstKept(value: ForeignValue, parent: Node): { first: string | undefined; count: number } {
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
    if (id !== undefined && id !== null) this.#emitter.repair('first_kept_missing')
    return { first: undefined, count: 0 }
  }
}
