// A compaction of Claude Code: the boundary comes first, its summary follows, and what it keeps is
// before both, or repeated after them. Our order is the reverse, so a boundary waits for its summary.

import type { Emitter, Origin } from '../import/emitter.js'
import { countOf, fieldsOf, stringsOf, textOf } from '../import/fields.js'
import type { ForeignRecord, ForeignValue } from '../import/importer.js'
import { messageText } from './lines.js'
import type { ClaudeSurvey } from './survey.js'
import type { ClaudeTree } from './tree.js'

export interface BoundaryContext {
  readonly emitter: Emitter
  readonly tree: ClaudeTree
  readonly epoch: number
  readonly survey: ClaudeSurvey
  /** In a fork: the old id of a line → its new one. */
  readonly renamed: ReadonlyMap<string, string>
}

export class PendingBoundary {
  readonly origin: Origin
  readonly #value: ForeignValue
  readonly #meta: ForeignValue
  readonly #id: string
  readonly #summaries: ForeignRecord[] = []
  /** Lines between the boundary and its summary; the caller adds them after the commit. */
  readonly between: ForeignRecord[] = []

  constructor(origin: Origin, id: string) {
    this.origin = origin
    this.#value = origin.record.value
    this.#meta = fieldsOf(this.#value['compactMetadata'])
    this.#id = id
  }

  /** Adds the line if it is a part of the summary, or leads to it; else returns false. */
  addSummary(record: ForeignRecord): boolean {
    const { type, isCompactSummary, parentUuid } = record.value
    const isSummary = type === 'user' && isCompactSummary === true
    const isBetween = type === 'attachment' && this.#summaries.length === 0
    const last = (this.#summaries.at(-1) ?? this.between.at(-1))?.value ?? this.#value
    if (parentUuid !== last['uuid'] || (!isSummary && !isBetween)) return false
    if (isSummary) this.#summaries.push(record)
    else this.between.push(record)
    return true
  }

  /** `isCut`: the file ended here, so a summary may still come. */
  commit(context: BoundaryContext, { isCut }: { isCut: boolean }): void {
    const { emitter, tree, epoch } = context
    const meta = this.#meta
    const [first, ...more] = this.#summaries
    const kept = this.#findKept(context)
    if (first === undefined) this.#repair(context, 'summary_missing')
    const boundaryUuid = first === undefined && isCut ? `${this.#id}~unfinished` : this.#id
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
        isPrefixKept: this.#anchor === this.#value['uuid'],
        trigger: meta['trigger'] === 'manual' ? 'manual' : 'auto',
        tokensBefore: countOf(meta['preTokens']),
        tokensAfter: countOf(meta['postTokens']),
        summarized: countOf(meta['messagesSummarized']) ?? tree.countMessages(),
        epoch,
        summaryRecord: first,
        summaryFields: more.length === 0 ? undefined : { more_parts: more.map(toMark) },
      },
      this.origin,
    )
    const summaries = this.#summaries.map(({ value }) => String(value['uuid']))
    tree.compact({ boundary: this.#id, summaries, boundaryUuid, summaryUuid }, kept)
  }

  #findKept(context: BoundaryContext): string[] {
    const kept = this.#namedAsKept(context)
      .map((uuid) => this.#find(uuid, context))
      .filter((uuid) => uuid !== this.#id && !this.#isElsewhere(uuid, context))
    for (const id of kept) {
      if (context.tree.eventOf(id) === undefined) this.#repair(context, 'kept_missing')
    }
    return kept
  }

  /** The model does not see the line, or it is after the boundary and follows it anyway. */
  #isElsewhere(uuid: string, { tree, survey }: BoundaryContext): boolean {
    if (tree.eventOf(uuid) !== undefined) return false
    return tree.has(uuid) || (survey.offsetOf(uuid) ?? -1) > this.origin.record.byteOffset
  }

  #namedAsKept(context: BoundaryContext): string[] {
    const { tree, renamed } = context
    const { uuids } = fieldsOf(this.#meta['preservedMessages'])
    if (Array.isArray(uuids)) return stringsOf(uuids)
    const { headUuid, tailUuid } = fieldsOf(this.#meta['preservedSegment'])
    if (typeof headUuid !== 'string' || typeof tailUuid !== 'string') return []
    const current = (id: string) => (tree.eventOf(id) === undefined ? (renamed.get(id) ?? id) : id)
    const [head, tail] = [current(headUuid), current(tailUuid)]
    if (head !== headUuid || tail !== tailUuid) this.#repair(context, 'kept_renamed')
    const segment = tree.segment(head, tail)
    if (segment.isWhole) return segment.uuids
    this.#repair(context, 'kept_walk_broken')
    // The part connected to its end is kept, and the missing rest is reported.
    return segment.uuids.length === 0 ? [tail] : [head, ...segment.uuids]
  }

  #find(uuid: string, context: BoundaryContext): string {
    const { tree, renamed } = context
    if (tree.eventOf(uuid) !== undefined) return uuid
    const other = renamed.get(uuid)
    if (other === undefined || tree.eventOf(other) === undefined) return uuid
    this.#repair(context, 'kept_renamed')
    return other
  }

  #repair({ emitter }: BoundaryContext, reason: Parameters<Emitter['repair']>[0]): void {
    emitter.sink.repaired(reason, this.origin.record)
  }

  get #anchor(): string | undefined {
    const { preservedMessages, preservedSegment } = this.#meta
    const anchor = textOf(fieldsOf(preservedMessages)['anchorUuid'])
    return anchor ?? textOf(fieldsOf(preservedSegment)['anchorUuid'])
  }
}

function toMark({ byteOffset: offset, length, sha256 }: ForeignRecord): object {
  return { offset, length, sha256 }
}
