// What the model sees, held still: a projection goes on growing while a summarizer thinks, and a
// plan must stay the plan it was.

import { isGap, type Message, messagesOf, type Projection } from '../chain/index.js'

/** What of a projection a plan rests on. */
export type ContextSource = Pick<
  Projection,
  'entries' | 'compactedCount' | 'lastBoundary' | 'continuation'
>

export type SeenEntry = Exclude<
  Projection['entries'][number],
  { kind: 'lost' | 'missing' | 'opaque' }
>

export interface Context {
  readonly entries: readonly SeenEntry[]
  /** One for each entry, as it was written. */
  readonly messages: readonly Message[]
  /** So many of them were there before the last compaction: what they say of tokens is old. */
  readonly staleCount: number
  /** The last boundary that counts; it names the cycle, too. */
  readonly boundaryUuid: string | null
  /** Whether the uuid of this entry means this entry and no other. */
  readonly isNamed: (index: number) => boolean
}

export function contextOf(source: ContextSource): Context {
  const entries = source.entries.filter((entry): entry is SeenEntry => !isGap(entry))
  const compacted = source.entries.slice(0, source.compactedCount)
  const isNamed = namingOf(source)
  return {
    entries,
    messages: messagesOf({ entries, compactedCount: 0 }, { repair: false }).messages,
    staleCount: compacted.filter((entry) => !isGap(entry)).length,
    boundaryUuid: source.lastBoundary?.uuid ?? null,
    isNamed: (index) => entries[index] !== undefined && isNamed(entries[index]),
  }
}

/** Tells of an entry whether a boundary that is written now can name it. */
export function namingOf({
  continuation,
}: Pick<ContextSource, 'continuation'>): (entry: SeenEntry) => boolean {
  // In the fold a uuid means the last entry that has it, repeated lines included.
  const last = new Map<string, SeenEntry>()
  for (const entry of continuation.entries) if (!isGap(entry)) last.set(entry.event.uuid, entry)
  return (entry) => {
    const meant = last.get(entry.event.uuid)
    return meant !== undefined && isSame(entry, meant)
  }
}

/** Lines are told apart by their places: uuids may be repeated, and summaries are revised. */
export function isSame(one: SeenEntry, other: SeenEntry): boolean {
  return one.byte_offset === other.byte_offset && one.file === other.file
}
