// A compaction of Claude Code: the boundary is written first, its summary follows, and what it keeps
// lies before both, or is written once more behind them. Ours is the other way round, so a boundary
// waits for its summary.

import { messageText } from './claude-lines.js'
import type { ClaudeTree } from './claude-tree.js'
import type { Emitter } from './emitter.js'
import { countOf, fieldsOf, stringsOf, textOf } from './fields.js'
import type { ForeignRecord } from './importer.js'

export class PendingBoundary {
  readonly record: ForeignRecord
  readonly #summaries: ForeignRecord[] = []
  readonly #id: string
  readonly #ts: string

  constructor(record: ForeignRecord, id: string, ts: string) {
    this.record = record
    this.#id = id
    this.#ts = ts
  }

  /** Whether the line is a part of its summary; then it belongs to this. */
  takes(record: ForeignRecord): boolean {
    const { type, isCompactSummary, parentUuid } = record.value
    if (type !== 'user' || isCompactSummary !== true) return false
    const last = this.#summaries.at(-1)?.value['uuid'] ?? this.record.value['uuid']
    if (parentUuid !== last) return false
    this.#summaries.push(record)
    return true
  }

  /** `isCut`: the file ended here, so a summary may still come. */
  commit(place: BoundaryPlace, { isCut }: { isCut: boolean }): void {
    const { emitter, tree, epoch } = place
    const meta = fieldsOf(this.record.value['compactMetadata'])
    const [first, ...more] = this.#summaries
    const kept = this.#keptBy(meta, place)
    if (first === undefined) emitter.sink.repaired('summary_missing', this.record)
    const suffix = first === undefined && isCut ? '~unfinished' : ''
    const boundaryUuid = `${this.#id}${suffix}`
    const summaryUuid =
      first === undefined ? `${boundaryUuid}~summary` : emitter.uuidOf(first.value['uuid'], first)
    const messages = kept.flatMap((id) => {
      const { uuid, isMessage } = tree.eventOf(id) ?? { uuid: id, isMessage: true }
      return isMessage ? [uuid] : []
    })
    emitter.compact(
      {
        summaryUuid,
        boundaryUuid,
        prev: tree.placeForSummary(kept).uuid,
        text: this.#summaries.map(({ value }) => messageText(value)).join('\n\n'),
        kept: messages,
        isPrefixKept: anchorOf(meta) === this.record.value['uuid'],
        trigger: meta['trigger'] === 'manual' ? 'manual' : 'auto',
        tokensBefore: countOf(meta['preTokens']),
        tokensAfter: countOf(meta['postTokens']),
        summarized: countOf(meta['messagesSummarized']) ?? tree.countMessages(),
        epoch,
        summaryRecord: first,
        summaryFields: more.length === 0 ? undefined : { more_parts: more.map(markOf) },
      },
      this.record,
      this.#ts,
    )
    const summaries = this.#summaries.map(({ value }) => String(value['uuid']))
    tree.compact({ boundary: this.#id, summaries, boundaryUuid, summaryUuid }, kept)
  }

  #keptBy(meta: Readonly<Record<string, unknown>>, place: BoundaryPlace): string[] {
    const uuids = this.#namedBy(meta, place)
    const found = uuids.map((uuid) => this.#find(uuid, place)).filter((uuid) => uuid !== this.#id)
    const { emitter, tree } = place
    for (const id of found) {
      if (tree.eventOf(id) === undefined) emitter.sink.repaired('kept_missing', this.record)
    }
    return found
  }

  #namedBy(meta: Readonly<Record<string, unknown>>, { emitter, tree, renamed }: BoundaryPlace) {
    const { uuids } = fieldsOf(meta['preservedMessages'])
    if (Array.isArray(uuids)) return stringsOf(uuids)
    const { headUuid, tailUuid } = fieldsOf(meta['preservedSegment'])
    if (typeof headUuid !== 'string' || typeof tailUuid !== 'string') return []
    const head =
      tree.eventOf(headUuid) === undefined ? (renamed.get(headUuid) ?? headUuid) : headUuid
    const tail =
      tree.eventOf(tailUuid) === undefined ? (renamed.get(tailUuid) ?? tailUuid) : tailUuid
    if (head !== headUuid || tail !== tailUuid) emitter.sink.repaired('kept_renamed', this.record)
    const segment = tree.segment(head, tail)
    if (segment.isWhole) return segment.uuids
    emitter.sink.repaired('kept_walk_broken', this.record)
    // What hangs together from its end is kept, and what is missing is said to be.
    return segment.uuids.length === 0 ? [tail] : [head, ...segment.uuids]
  }

  #find(uuid: string, { emitter, tree, renamed }: BoundaryPlace): string {
    if (tree.eventOf(uuid) !== undefined) return uuid
    const other = renamed.get(uuid)
    if (other === undefined || tree.eventOf(other) === undefined) return uuid
    emitter.sink.repaired('kept_renamed', this.record)
    return other
  }
}

export interface BoundaryPlace {
  readonly emitter: Emitter
  readonly tree: ClaudeTree
  readonly epoch: number
  /** In a fork: the old id of a line → its new one. */
  readonly renamed: ReadonlyMap<string, string>
}

function anchorOf(meta: Readonly<Record<string, unknown>>): string | undefined {
  const messages = textOf(fieldsOf(meta['preservedMessages'])['anchorUuid'])
  return messages ?? textOf(fieldsOf(meta['preservedSegment'])['anchorUuid'])
}

function markOf({ byte_offset: offset, length, sha256 }: ForeignRecord): object {
  return { offset, length, sha256 }
}
