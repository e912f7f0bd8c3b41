// One transcript of Claude Code on its way to becoming a session: what each line becomes, and what
// the model would see at the end of the file.

import { PendingBoundary } from './claude-boundary.js'
import { assistantPayload, isBoundary, isPermissionLine, userPayload } from './claude-lines.js'
import { ClaudeTasks } from './claude-tasks.js'
import { ClaudeTree, type Node } from './claude-tree.js'
import { Emitter } from './emitter.js'
import { fieldsOf, textOf } from './fields.js'
import type { ForeignRecord, ForeignValue, ImportContext, ImportRun } from './importer.js'
import { SeenIds } from './seen-ids.js'

export const CLAUDE_CODE = 'claude-code'

/** A title that people gave outlives one that a model made, and that one the oldest kind. */
const TITLES: readonly { type: string; field: string; rank: number }[] = [
  { type: 'summary', field: 'summary', rank: 1 },
  { type: 'ai-title', field: 'aiTitle', rank: 2 },
  { type: 'custom-title', field: 'customTitle', rank: 3 },
]

export class ClaudeRun implements ImportRun {
  readonly #emitter: Emitter
  readonly #tasks: ClaudeTasks
  readonly #isTask: boolean
  readonly #tree = new ClaudeTree()
  readonly #seen = new SeenIds()
  readonly #renamed = new Map<string, string>()
  #pending: PendingBoundary | undefined
  #epoch = 0
  #titleRank = 0
  #isDamaged = false
  /** The newest line that can be the end of the conversation, and the record that said so. */
  #leaf: { node: Node; record: ForeignRecord } | undefined

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(CLAUDE_CODE, context)
    this.#tasks = new ClaudeTasks(this.#emitter, context.tasks)
    this.#isTask = context.facts.task_id !== undefined
  }

  take(record: ForeignRecord): void {
    const { value } = record
    const { uuid, type } = value
    const ts = this.#emitter.timeOf(value['timestamp'], record)
    if (typeof uuid !== 'string' || typeof type !== 'string') this.#takeFact(record, ts)
    else if (!this.#seen.add(uuid)) this.#emitter.sink.dropped('repeated_record', record)
    else if (value['isSidechain'] === true && !this.#isTask) this.#takeInline(record, ts)
    else this.#takeLine(record, uuid, ts)
  }

  damage(): void {
    this.#isDamaged = true
  }

  end(size: number): void {
    this.#commit({ isCut: true })
    const { tip } = this.#tree
    const { node, record } = this.#leaf ?? {}
    if (node === undefined || record === undefined || this.#isAtEnd(node)) return
    const payload = { target_uuid: node.uuid, from_uuid: tip.uuid, reason: 'end of the source' }
    const uuid = `${node.uuid}~leaf-${size}`
    const event = { type: 'rewind', uuid, prev: node.uuid, payload }
    this.#emitter.emit(event, record, this.#emitter.lastTs)
  }

  /** Nothing behind it on the path would be shown. */
  #isAtEnd(leaf: Node): boolean {
    let at: Node | undefined = this.#tree.tip
    for (; at !== undefined && at !== leaf; at = at.up) {
      const isSameReply = at.reply !== undefined && at.reply === leaf.reply
      if (at.isMessage && !isSameReply) return false
    }
    return at === leaf
  }

  #takeInline(record: ForeignRecord, ts: string): void {
    this.#tasks.takeInline(record, { insert: (uuid) => this.#insert(uuid) }, ts)
  }

  /** Puts an event of ours behind the tip; tells what it follows. */
  #insert(uuid: string): string {
    const after = this.#tree.tip
    this.#tree.insert(uuid, after)
    return after.uuid
  }

  #takeLine(record: ForeignRecord, id: string, ts: string): void {
    const { value } = record
    if (this.#pending?.takes(record) === true) return
    this.#commit({ isCut: false })
    if (isBoundary(value)) {
      this.#pending = new PendingBoundary(record, this.#emitter.uuidOf(id, record), ts)
      return
    }
    this.#noteFork(value, id)
    const reply = replyOf(value)
    const place = this.#placeOf(record, id, reply, ts)
    const parent = textOf(value['parentUuid']) ?? null
    if (value['type'] === 'progress' || isPermissionLine(value)) {
      const reason = value['type'] === 'progress' ? 'stream_part' : 'permission_state'
      this.#emitter.sink.dropped(reason, record)
      this.#tree.bridge(id, parent, place)
      return
    }
    this.#emitLine(record, { id, parent, place, reply, ts })
  }

  #emitLine(record: ForeignRecord, line: LinePlace): void {
    const { value } = record
    const { type } = value
    const { id, parent, ts } = line
    const uuid = this.#emitter.uuidOf(id, record)
    const isUser = type === 'user'
    const isMessage = isUser || type === 'assistant'
    let { place } = line
    if (isUser && !this.#isTask) {
      const insert = (own: string) => {
        const before = place.uuid
        place = this.#tree.insert(own, place)
        return before
      }
      this.#tasks.spawnBefore(record, { insert }, ts)
    }
    const isResult = isUser && typeof value['toolUseResult'] !== 'undefined'
    const reply =
      line.reply ?? (isResult || isToolResult(value) || !isMessage ? place.reply : undefined)
    if (isUser) {
      if ('permissionMode' in value) this.#emitter.sink.dropped('permission_state', record)
      this.#emitter.emit({ type, uuid, prev: place.uuid, payload: userPayload(value) }, record, ts)
    } else if (type === 'assistant') {
      const payload = assistantPayload(value)
      this.#emitter.emit({ type, uuid, prev: place.uuid, payload }, record, ts)
      this.#tasks.takeCalls(value)
    } else {
      this.#emitter.verbatim(String(type), { uuid, prev: place.uuid }, record, ts)
    }
    const node: Node = { uuid, up: place, reply, isMessage }
    this.#tree.add(id, parent, node)
    if (isMessage && isLeaf(value)) this.#leaf = { node, record }
    if (isUser && !this.#isTask) {
      this.#tasks.endAfter(record, { insert: (own) => this.#insert(own) }, ts)
    }
    this.#isDamaged = false
  }

  #placeOf(record: ForeignRecord, id: string, reply: string | undefined, ts: string): Node {
    const parent = record.value['parentUuid']
    const named = parent === null || typeof parent === 'string' ? parent : undefined
    const place = this.#tree.placeFor(named, reply)
    if (place.kind === 'found') return place.node
    if (place.kind === 'kept') return this.#branchFromKept(place.node, id, record, ts)
    const isLost = this.#isDamaged
    this.#emitter.sink.repaired(isLost ? 'parent_damaged' : 'parent_missing', record)
    return isLost ? this.#tree.tip : this.#tree.root
  }

  /** From the middle of what a boundary kept: the boundary counts, the rest of it does not. */
  #branchFromKept(kept: Node, id: string, record: ForeignRecord, ts: string): Node {
    const { tip } = this.#tree
    const after = this.#tree.boundary!
    const payload = { target_uuid: kept.uuid, from_uuid: tip.uuid, truncate_after: kept.uuid }
    const uuid = `${id}~rewind`
    this.#emitter.emit({ type: 'rewind', uuid, prev: after.uuid, payload }, record, ts)
    return this.#tree.insert(uuid, after)
  }

  #commit({ isCut }: { isCut: boolean }): void {
    const pending = this.#pending
    if (pending === undefined) return
    this.#pending = undefined
    this.#epoch++
    const place = { emitter: this.#emitter, tree: this.#tree, renamed: this.#renamed }
    pending.commit({ ...place, epoch: this.#epoch }, { isCut })
    // With nothing new since, the conversation ends with what was kept.
    this.#leaf = { node: this.#tree.tip, record: pending.record }
    this.#renamed.clear()
  }

  #noteFork(value: ForeignValue, id: string): void {
    const old = textOf(fieldsOf(value['forkedFrom'])['messageUuid'])
    if (old !== undefined) this.#renamed.set(old, id)
  }

  /** A line without a uuid: it tells something about the session. */
  #takeFact(record: ForeignRecord, ts: string): void {
    const { value } = record
    if (isPermissionLine(value)) {
      this.#emitter.sink.dropped('permission_state', record)
      return
    }
    this.#takeTitle(record, ts)
    if (value['type'] === 'last-prompt') this.#takeLeaf(record)
    const uuid = this.#emitter.uuidOf(undefined, record)
    this.#emitter.verbatim(String(value['type'] ?? 'record'), { uuid, prev: null }, record, ts)
  }

  #takeTitle(record: ForeignRecord, ts: string): void {
    const { value } = record
    const kind = TITLES.find(({ type }) => type === value['type'])
    if (kind !== undefined) {
      const title = textOf(value[kind.field])
      if (title === undefined || kind.rank < this.#titleRank) return
      this.#titleRank = kind.rank
      this.#emitter.title(title, kind.rank === 3 ? 'user' : 'auto', record, ts)
    } else if (value['type'] === 'tag' && typeof value['tag'] === 'string') {
      const uuid = `${this.#emitter.uuidOf(undefined, record)}~tag`
      const payload = { tags: value['tag'] === '' ? [] : [value['tag']] }
      this.#emitter.emit({ type: 'session_meta', uuid, prev: null, payload }, record, ts)
    }
  }

  /** The harness says where the conversation stands; any later line overrules it. */
  #takeLeaf(record: ForeignRecord): void {
    const id = textOf(record.value['leafUuid'])
    const node = id === undefined ? undefined : this.#tree.eventOf(id)
    if (node !== undefined && this.#isSinceBoundary(node)) this.#leaf = { node, record }
  }

  #isSinceBoundary(node: Node): boolean {
    const { boundary } = this.#tree
    let at: Node | undefined = node
    while (at.up !== undefined) at = at.up
    return boundary === undefined || at === boundary
  }
}

interface LinePlace {
  readonly id: string
  readonly parent: string | null
  readonly place: Node
  readonly reply: string | undefined
  readonly ts: string
}

function replyOf(value: ForeignValue): string | undefined {
  return value['type'] === 'assistant' ? textOf(fieldsOf(value['message'])['id']) : undefined
}

function isToolResult({ message }: ForeignValue): boolean {
  const { content } = fieldsOf(message)
  return (
    Array.isArray(content) && content.some((block) => fieldsOf(block)['type'] === 'tool_result')
  )
}

/** What others of a team wrote, and what nobody typed, ends no conversation. */
function isLeaf({ isMeta, teamName }: ForeignValue): boolean {
  return isMeta !== true && typeof teamName !== 'string'
}
