// One transcript of Claude Code on its way to becoming a session: what each line becomes, and what
// the model sees at the end of the file.

import { Emitter } from '../import/emitter.js'
import { fieldsOf, listOf, textOf } from '../import/fields.js'
import type {
  ForeignRecord,
  ForeignValue,
  ImportContext,
  ImportRun,
  SurveyedRecord,
} from '../import/importer.js'
import { LateParents } from '../import/late-parents.js'
import { PendingBoundary } from './boundary.js'
import { noteUninterpreted } from './known-lines.js'
import { ClaudeLeaf } from './leaf.js'
import { isBoundary, isPermissionLine, isResult as isResultBlock } from './lines.js'
import { ClaudeRepeats } from './repeats.js'
import { ClaudeSurvey } from './survey.js'
import { ClaudeTasks, emitLine } from './tasks.js'
import { ClaudeTree, type Node } from './tree.js'

export const CLAUDE_CODE = 'claude-code'

/** A title by a person outranks one by a model, and that one the oldest kind. */
const TITLES: readonly { type: string; field: string; rank: number }[] = [
  { type: 'summary', field: 'summary', rank: 1 },
  { type: 'ai-title', field: 'aiTitle', rank: 2 },
  { type: 'custom-title', field: 'customTitle', rank: 3 },
]

export class ClaudeRun implements ImportRun {
  readonly #emitter: Emitter
  readonly #tasks: ClaudeTasks
  readonly #isTask: boolean
  readonly #survey = new ClaudeSurvey()
  readonly #late: LateParents
  /** Lines that are after one of their children in the file, once they were added. */
  readonly #arrived = new Set<string>()
  /** Lines that wait. */
  readonly #held = new Set<string>()
  readonly #repeats: ClaudeRepeats
  readonly #tree = new ClaudeTree()
  readonly #leaf = new ClaudeLeaf()
  readonly #renamed = new Map<string, string>()
  #pending: PendingBoundary | undefined
  #epoch = 0
  #titleRank = 0
  #isDamaged = false
  #isEmpty = true
  #boundaryOffset = 0

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(CLAUDE_CODE, context)
    this.#tasks = new ClaudeTasks(this.#emitter, context.tasks)
    this.#isTask = context.facts.taskId !== undefined
    this.#late = new LateParents(context.reread)
    this.#repeats = new ClaudeRepeats(this.#emitter, this.#survey)
  }

  survey(record: SurveyedRecord): void {
    this.#survey.add(record)
  }

  add(record: ForeignRecord): void {
    const { value } = record
    this.#isEmpty = false
    const { uuid } = value
    if (isFact(value)) {
      this.#emitter.begin(record, value['timestamp'])
      this.#addFact(value)
      return
    }
    if (value['isSidechain'] !== true || this.#isTask) {
      this.#leaf.addLine(String(uuid), { isBoundary: isBoundary(value) })
    }
    if (!this.#hold(record)) this.#addWithWaiting(record)
  }

  /** True if the parent of the line was not added yet: the line is added then. */
  #hold(record: ForeignRecord): boolean {
    const parent = textOf(record.value['parentUuid'])
    if (parent === undefined || !this.#isExpected(parent)) return false
    this.#late.hold(parent, record)
    this.#held.add(String(record.value['uuid']))
    return true
  }

  #isExpected(uuid: string): boolean {
    if (this.#held.has(uuid)) return true
    return this.#survey.isLate(uuid) && !this.#arrived.has(uuid)
  }

  /** Adds a line and then those that waited for it, each with its own. */
  #addWithWaiting(first: ForeignRecord): void {
    // Not recursive: a whole file may be in the reverse order.
    const waiting: Iterator<ForeignRecord>[] = [[first].values()]
    while (waiting.length > 0) {
      const { value: record } = waiting.at(-1)!.next() as { value: ForeignRecord | undefined }
      if (record === undefined) {
        waiting.pop()
        continue
      }
      this.#addOne(record)
      const uuid = String(record.value['uuid'])
      if (!this.#isExpected(uuid)) continue
      this.#held.delete(uuid)
      this.#arrived.add(uuid)
      waiting.push(this.#late.take(uuid))
    }
  }

  #addOne(record: ForeignRecord): void {
    const { value } = record
    const uuid = String(value['uuid'])
    this.#emitter.begin(record, value['timestamp'])
    if (!this.#repeats.isFirst(value, uuid)) return
    if (value['isSidechain'] === true && !this.#isTask) {
      this.#tasks.addInline(value, (own) => this.#insert(own))
    } else this.#addLine(record, uuid)
  }

  damage(): void {
    this.#isDamaged = true
  }

  end(size: number): void {
    // Lines that follow each other in a circle.
    for (const record of this.#late.takeRest()) this.#addOne(record)
    this.#commit({ isCut: true })
    const place = this.#isEmpty ? undefined : this.#leaf.find(this.#tree)
    if (place === undefined || place.kind === 'unknown') return
    const { node } = place
    const isKept = place.kind === 'kept'
    if (!isKept && this.#isAtEnd(node)) return
    const from_uuid = this.#tree.newest.uuid
    const named = { target_uuid: node.uuid, from_uuid, reason: 'end of the source' }
    const payload = isKept ? { ...named, truncate_after: node.uuid } : named
    const prev = isKept ? this.#tree.boundary!.uuid : node.uuid
    const uuid = `${node.uuid}~leaf-${size}`
    const { lastTs: ts, origin } = this.#emitter
    this.#emitter.emit({ type: 'rewind', uuid, prev, payload }, { ...origin, ts })
  }

  /** Whether no message after it on the path would be shown. */
  #isAtEnd(leaf: Node): boolean {
    const { newest } = this.#tree
    let at: Node | undefined = newest
    for (; at !== undefined && at !== leaf; at = at.up) {
      const isSameReply = at.reply !== undefined && at.reply === leaf.reply
      if (at.isEnd && !isSameReply) return false
    }
    return at === leaf
  }

  /** Adds an event of ours after the tip; returns the uuid of what it follows. */
  #insert(uuid: string): string {
    const after = this.#tree.tip
    this.#tree.insert(uuid, after)
    return after.uuid
  }

  #addLine(record: ForeignRecord, id: string): void {
    const { value } = record
    if (this.#pending?.addSummary(record) === true) return
    if (this.#commit({ isCut: false })) this.#emitter.begin(record, value['timestamp'])
    if (isBoundary(value)) {
      this.#pending = new PendingBoundary(this.#emitter.origin, this.#emitter.uuidOf(id))
      return
    }
    this.#noteFork(value, id)
    const reply = replyOf(value)
    const place = this.#findPlace(value, id, reply)
    const parent = textOf(value['parentUuid']) ?? null
    if (value['type'] === 'progress' || isPermissionLine(value)) {
      this.#emitter.drop(value['type'] === 'progress' ? 'stream_part' : 'permission_state')
      this.#tree.bridge(id, parent, place)
    } else if (this.#survey.isLeftOut(value)) {
      const uuid = this.#emitter.uuidOf(id)
      emitLine(this.#emitter, value, { uuid, prev: place.uuid })
      this.#tree.addAside(id, parent, { uuid, place })
    } else this.#emitLine(value, { id, parent, place, reply })
    this.#isDamaged = false
  }

  #emitLine(value: ForeignValue, line: LinePlace): void {
    const { type } = value
    const { id, parent } = line
    const uuid = this.#emitter.uuidOf(id)
    const isUser = type === 'user'
    const isEnd = isUser || type === 'assistant'
    let { place } = line
    if (isUser && !this.#isTask) {
      this.#tasks.spawnBefore(value, (own) => {
        const before = place.uuid
        place = this.#tree.insert(own, place)
        return before
      })
    }
    const isResult = isUser && value['toolUseResult'] !== undefined
    const reply =
      line.reply ?? (isResult || hasToolResult(value) || !isEnd ? place.reply : undefined)
    if (isUser && 'permissionMode' in value) this.#emitter.drop('permission_state')
    const isMessage = emitLine(this.#emitter, value, { uuid, prev: place.uuid })
    if (type === 'assistant') this.#tasks.addCalls(value)
    this.#tree.add(id, parent, { uuid, up: place, reply, isMessage, isEnd })
    if (isUser && !this.#isTask) this.#tasks.endAfter(value, (own) => this.#insert(own))
  }

  #findPlace({ parentUuid }: ForeignValue, id: string, reply: string | undefined): Node {
    const isNamed = parentUuid === null || typeof parentUuid === 'string'
    const place = this.#tree.placeFor(isNamed ? parentUuid : undefined, reply)
    if (place.kind === 'found') return place.node
    if (place.kind === 'kept') return this.#branchFromKept(place.node, id)
    const parent = String(parentUuid)
    const { boundary, tip } = this.#tree
    // A compaction left it out, and what follows it follows the compaction.
    const offset = this.#survey.offsetOf(parent) ?? Number.POSITIVE_INFINITY
    if (boundary !== undefined && offset < this.#boundaryOffset) return boundary
    this.#emitter.repair(this.#isDamaged ? 'parent_damaged' : 'parent_missing')
    // The line is lost, not what is before and after it. Its other children follow the same.
    this.#tree.bridge(parent, null, tip)
    return tip
  }

  /** A branch from the middle of what a boundary kept: the boundary counts, the rest does not. */
  #branchFromKept(kept: Node, id: string): Node {
    const after = this.#tree.boundary!
    const from_uuid = this.#tree.tip.uuid
    const payload = { target_uuid: kept.uuid, from_uuid, truncate_after: kept.uuid }
    const uuid = `${id}~rewind`
    this.#emitter.emit({ type: 'rewind', uuid, prev: after.uuid, payload })
    return this.#tree.insert(uuid, after)
  }

  /** Commits a boundary that waits; returns whether lines that waited with it were added. */
  #commit({ isCut }: { isCut: boolean }): boolean {
    const pending = this.#pending
    if (pending === undefined) return false
    this.#pending = undefined
    this.#epoch++
    const context = { emitter: this.#emitter, tree: this.#tree, survey: this.#survey }
    pending.commit({ ...context, renamed: this.#renamed, epoch: this.#epoch }, { isCut })
    this.#boundaryOffset = pending.origin.record.byteOffset
    this.#renamed.clear()
    for (const record of pending.between) {
      this.#emitter.begin(record, record.value['timestamp'])
      this.#addLine(record, String(record.value['uuid']))
    }
    return pending.between.length > 0
  }

  #noteFork(value: ForeignValue, id: string): void {
    const old = textOf(fieldsOf(value['forkedFrom'])['messageUuid'])
    if (old !== undefined) this.#renamed.set(old, id)
  }

  /** A line without a uuid is a fact about the session. */
  #addFact(value: ForeignValue): void {
    if (isPermissionLine(value)) {
      this.#emitter.drop('permission_state')
      return
    }
    this.#addTitle(value)
    if (value['type'] === 'last-prompt') this.#leaf.addRecorded(value)
    noteUninterpreted(this.#emitter, value)
    this.#emitter.keep(String(value['type'] ?? 'record'))
  }

  #addTitle(value: ForeignValue): void {
    const kind = TITLES.find(({ type }) => type === value['type'])
    if (kind !== undefined) {
      const title = textOf(value[kind.field])
      if (title === undefined || kind.rank < this.#titleRank) return
      this.#titleRank = kind.rank
      this.#emitter.title(title, kind.rank === 3 ? 'user' : 'auto')
    } else if (value['type'] === 'tag' && typeof value['tag'] === 'string') {
      this.#emitter.meta('tag', { tags: value['tag'] === '' ? [] : [value['tag']] })
    }
  }
}

interface LinePlace {
  readonly id: string
  readonly parent: string | null
  readonly place: Node
  readonly reply: string | undefined
}

function replyOf(value: ForeignValue): string | undefined {
  return value['type'] === 'assistant' ? textOf(fieldsOf(value['message'])['id']) : undefined
}

function hasToolResult({ message }: ForeignValue): boolean {
  const content = listOf(fieldsOf(message)['content'])
  return content.some(isResultBlock)
}

/** A line without a uuid is a fact about the session. */
function isFact({ uuid, type }: ForeignValue): boolean {
  return typeof uuid !== 'string' || typeof type !== 'string'
}
