// A snapshot of what the model sees: the projection keeps growing while a summarizer works, and a
// plan must not change.

import { isGap, type Message, messagesOf, type Projection } from '../chain/index.js'

/** The parts of a projection that a plan depends on. */
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
  /** How many are from before the last compaction; their token counts are outdated. */
  readonly staleCount: number
  /** The last committed boundary; also the name of the cycle. */
  readonly boundaryUuid: string | null
  /** Whether the uuid of this entry refers to this entry only. */
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

/** Whether a boundary that is written now can name an entry by its uuid. */
export function namingOf({
  continuation,
}: Pick<ContextSource, 'continuation'>): (entry: SeenEntry) => boolean {
  // In the fold a uuid refers to the last entry that has it, including repeated lines.
  const last = new Map<string, SeenEntry>()
  for (const entry of continuation.entries) if (!isGap(entry)) last.set(entry.event.uuid, entry)
  return (entry) => {
    const meant = last.get(entry.event.uuid)
    return meant !== undefined && isSame(entry, meant)
  }
}

/** Compares offsets: uuids may be repeated, and summaries are revised. */
export function isSame(one: SeenEntry, other: SeenEntry): boolean {
  return one.byte_offset === other.byte_offset && one.file === other.file
}
