// What Claude Code shows of a transcript, by its rules, over the whole file in one step: slow, plain, and
// written without a look at the importer. See B1.4 of the research these rules come from: last
// boundary, what it keeps, relink, prune, leaf, walk, and the siblings of parallel tools.

export interface Line {
  readonly type: string
  readonly uuid: string
  readonly parentUuid: string | null
  readonly isMeta?: boolean
  readonly isCompactSummary?: boolean
  readonly subtype?: string
  readonly message?: { readonly id?: string; readonly content: unknown }
  readonly compactMetadata?: {
    readonly preservedMessages?: { readonly anchorUuid: string; readonly uuids: readonly string[] }
    readonly preservedSegment?: {
      readonly headUuid: string
      readonly anchorUuid: string
      readonly tailUuid: string
    }
  }
}

export function shownByRules(file: readonly Line[]): string[] {
  const lines = file.filter(
    (line, index) => file.findIndex(({ uuid }) => uuid === line.uuid) === index,
  )
  const byId = new Map(lines.map((line) => [line.uuid, line]))
  const parents = new Map(lines.map(({ uuid, parentUuid }) => [uuid, parentUuid]))
  const last = lines.findLastIndex(({ subtype }) => subtype === 'compact_boundary')
  const live = last === -1 ? lines : relink(lines, last, parents)
  const ids = new Set(live.map(({ uuid }) => uuid))
  const leaf = live.findLast(isMessage)
  const path: Line[] = []
  for (let at: string | null = leaf?.uuid ?? null; at !== null && ids.has(at); ) {
    path.unshift(byId.get(at)!)
    at = parents.get(at) ?? null
  }
  return withSiblings(path, live)
    .filter(isMessage)
    .map(({ uuid }) => uuid)
}

function relink(lines: readonly Line[], last: number, parents: Map<string, string | null>): Line[] {
  const boundary = lines[last]!
  const { preservedMessages, preservedSegment } = boundary.compactMetadata ?? {}
  const kept = preservedMessages?.uuids ?? segment(preservedSegment, parents)
  const anchor = preservedMessages?.anchorUuid ?? preservedSegment?.anchorUuid
  const live = lines.filter(({ uuid }, index) => index >= last || kept.includes(uuid))
  const ids = new Set(live.map(({ uuid }) => uuid))
  const end = kept.at(-1)
  for (const { uuid } of live) {
    if (kept.includes(uuid) || uuid === boundary.uuid) continue
    const parent = parents.get(uuid) ?? null
    const isCut = parent !== null && !ids.has(parent)
    if (end !== undefined && (parent === anchor || isCut)) parents.set(uuid, end)
    else if (isCut) parents.set(uuid, anchor ?? summaryOf(lines, boundary) ?? boundary.uuid)
  }
  for (const [index, uuid] of kept.entries()) {
    parents.set(uuid, index === 0 ? (anchor ?? null) : kept[index - 1]!)
  }
  return live
}

function summaryOf(lines: readonly Line[], boundary: Line): string | undefined {
  return lines.find(
    ({ parentUuid, isCompactSummary }) => parentUuid === boundary.uuid && isCompactSummary === true,
  )?.uuid
}

function segment(
  preserved: { headUuid: string; tailUuid: string } | undefined,
  parents: ReadonlyMap<string, string | null>,
): string[] {
  const kept: string[] = []
  if (preserved === undefined) return kept
  for (let at: string | null = preserved.tailUuid; at !== null; at = parents.get(at) ?? null) {
    kept.unshift(at)
    if (at === preserved.headUuid) break
  }
  return kept
}

/** Blocks of one reply and results of its tools that hang beside the path, in the order of the file. */
function withSiblings(path: readonly Line[], live: readonly Line[]): Line[] {
  const shown = [...path]
  for (const { type, message } of path) {
    if (type !== 'assistant' || message?.id === undefined) continue
    const ids = new Set(live.filter((line) => isBlockOf(line, message.id!)).map(({ uuid }) => uuid))
    const group = live.filter(
      (line) => ids.has(line.uuid) || (isResult(line) && ids.has(line.parentUuid ?? '')),
    )
    for (const [index, sibling] of group.entries()) {
      if (shown.includes(sibling)) continue
      const before = group.slice(0, index).findLast((line) => shown.includes(line))
      const after = group.slice(index + 1).find((line) => shown.includes(line))
      if (before !== undefined) shown.splice(shown.indexOf(before) + 1, 0, sibling)
      else if (after !== undefined) shown.splice(shown.indexOf(after), 0, sibling)
    }
  }
  return shown
}

function isBlockOf({ type, message }: Line, reply: string): boolean {
  return type === 'assistant' && message?.id === reply
}

function isMessage({ type }: Line): boolean {
  return type === 'user' || type === 'assistant'
}

function isResult({ type, message }: Line): boolean {
  return type === 'user' && Array.isArray(message?.content)
}
