// One transcript of Claude Code on its way to becoming a session: what each line becomes, and what
// the model sees at the end of the file.

import { Emitter, type Origin } from '../import/emitter.js'
import { fieldsOf, listOf, textOf } from '../import/fields.js'
import type { ForeignRecord, ForeignValue, ImportContext, ImportRun } from '../import/importer.js'
import { PendingBoundary } from './boundary.js'
import { isBoundary, isPermissionLine } from './lines.js'
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
  readonly #tree = new ClaudeTree()
  readonly #renamed = new Map<string, string>()
  #pending: PendingBoundary | undefined
  #epoch = 0
  #titleRank = 0
  #isDamaged = false
  /** The newest line that can be the end of the conversation, and where it was read. */
  #leaf: { node: Node; origin: Origin } | undefined

  constructor(context: ImportContext) {
    this.#emitter = new Emitter(CLAUDE_CODE, context)
    this.#tasks = new ClaudeTasks(this.#emitter, context.tasks)
    this.#isTask = context.facts.taskId !== undefined
  }

  add(record: ForeignRecord): void {
    const { value } = record
    const { uuid, type } = value
    this.#emitter.begin(record, value['timestamp'])
    if (typeof uuid !== 'string' || typeof type !== 'string') this.#addFact(value)
    else if (!this.#emitter.isFirst(uuid)) return
    else if (value['isSidechain'] === true && !this.#isTask) {
      this.#tasks.addInline(value, (own) => this.#insert(own))
    } else this.#addLine(record, uuid)
  }

  damage(): void {
    this.#isDamaged = true
  }

  end(size: number): void {
    this.#commit({ isCut: true })
    const { tip } = this.#tree
    const { node, origin } = this.#leaf ?? {}
    if (node === undefined || origin === undefined || this.#isAtEnd(node)) return
    const payload = { target_uuid: node.uuid, from_uuid: tip.uuid, reason: 'end of the source' }
    const uuid = `${node.uuid}~leaf-${size}`
    const { lastTs: ts } = this.#emitter
    this.#emitter.emit({ type: 'rewind', uuid, prev: node.uuid, payload }, { ...origin, ts })
  }

  /** Whether no message after it on the path would be shown. */
  #isAtEnd(leaf: Node): boolean {
    let at: Node | undefined = this.#tree.tip
    for (; at !== undefined && at !== leaf; at = at.up) {
      const isSameReply = at.reply !== undefined && at.reply === leaf.reply
      if (at.isMessage && !isSameReply) return false
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
    this.#commit({ isCut: false })
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
      return
    }
    this.#emitLine(value, { id, parent, place, reply })
  }

  #emitLine(value: ForeignValue, line: LinePlace): void {
    const { type } = value
    const { id, parent } = line
    const uuid = this.#emitter.uuidOf(id)
    const isUser = type === 'user'
    const isMessage = isUser || type === 'assistant'
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
      line.reply ?? (isResult || hasToolResult(value) || !isMessage ? place.reply : undefined)
    if (isUser && 'permissionMode' in value) this.#emitter.drop('permission_state')
    emitLine(this.#emitter, value, { uuid, prev: place.uuid })
    if (type === 'assistant') this.#tasks.addCalls(value)
    const node: Node = { uuid, up: place, reply, isMessage }
    this.#tree.add(id, parent, node)
    if (isMessage && canEnd(value)) this.#leaf = { node, origin: this.#emitter.origin }
    if (isUser && !this.#isTask) this.#tasks.endAfter(value, (own) => this.#insert(own))
    this.#isDamaged = false
  }

  #findPlace({ parentUuid }: ForeignValue, id: string, reply: string | undefined): Node {
    const isNamed = parentUuid === null || typeof parentUuid === 'string'
    const place = this.#tree.placeFor(isNamed ? parentUuid : undefined, reply)
    if (place.kind === 'found') return place.node
    if (place.kind === 'kept') return this.#branchFromKept(place.node, id)
    const isLost = this.#isDamaged
    this.#emitter.repair(isLost ? 'parent_damaged' : 'parent_missing')
    return isLost ? this.#tree.tip : this.#tree.root
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

  #commit({ isCut }: { isCut: boolean }): void {
    const pending = this.#pending
    if (pending === undefined) return
    this.#pending = undefined
    this.#epoch++
    const context = { emitter: this.#emitter, tree: this.#tree, renamed: this.#renamed }
    pending.commit({ ...context, epoch: this.#epoch }, { isCut })
    // Without a later message, the conversation ends with what was kept.
    this.#leaf = { node: this.#tree.tip, origin: pending.origin }
    this.#renamed.clear()
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
    if (value['type'] === 'last-prompt') this.#addLeaf(value)
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

  /** Claude Code records where the conversation ends; any later line overrules it. */
  #addLeaf(value: ForeignValue): void {
    const id = textOf(value['leafUuid'])
    const node = id === undefined ? undefined : this.#tree.eventOf(id)
    if (node !== undefined && this.#isSinceBoundary(node)) {
      this.#leaf = { node, origin: this.#emitter.origin }
    }
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
}

function replyOf(value: ForeignValue): string | undefined {
  return value['type'] === 'assistant' ? textOf(fieldsOf(value['message'])['id']) : undefined
}

function hasToolResult({ message }: ForeignValue): boolean {
  const content = listOf(fieldsOf(message)['content'])
  return content.some((block) => fieldsOf(block)['type'] === 'tool_result')
}

/** Lines of other team members, and lines that no person typed, do not end a conversation. */
function canEnd({ isMeta, teamName }: ForeignValue): boolean {
  return isMeta !== true && typeof teamName !== 'string'
}
