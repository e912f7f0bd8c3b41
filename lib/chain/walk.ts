// From the links of a file to its chain: which event is the tip, and the path from the root to it.
//
// Pure. Never throws on invalid data, but chooses what loses least and reports it; the rules are in
// docs/FORMAT.md, "Readers must". Given only the last part of a file, it reports where the unread
// part would decide.

import {
  type Diagnostic,
  diagnostic,
  isHeaderType,
  type PlacedLink,
  TipRule,
} from '../format/index.js'

export interface WalkOptions {
  /** Walk to this event instead of the tip: the last on-chain event with that uuid. */
  readonly at?: string | undefined
  /**
   * `false`: these are the last links of a file whose start was not read.
   *
   * @default true
   */
  readonly isWhole?: boolean | undefined
}

export interface Walk {
  /** Positions in the given links, from the root to the tip. Empty without such an event. */
  readonly path: readonly number[]
  /** By position, that of the event before it, or ROOT; less for off-chain and unread events. */
  readonly parents: Int32Array
  readonly onChainCount: number
  /** Positions of events that follow a missing one, and are linked to the one before them. */
  readonly guessed: ReadonlySet<number>
  /** Positions of on-chain events that are directly followed by the end of a turn. */
  readonly turnEnds: ReadonlySet<number>
  /** No other on-chain event follows the tip, so a turn that ends now ends there. */
  readonly isTipNewest: boolean
  /** The path contains a guessed link. */
  readonly degraded: boolean
  /** The path continues in the unread part. Never in a whole file. */
  readonly reachedOpaque: boolean
  /** The last event of the path depends on the unread part. */
  readonly isUndecided: boolean
  /** The `prev_uuid` of an event that continues this path; `null` when none can. */
  readonly nextPrevUuid: string | null
  readonly findings: readonly Diagnostic[]
}

export function walkChain(
  links: readonly PlacedLink[],
  { at, isWhole = true }: WalkOptions = {},
): Walk {
  const linked = linkUp(links, isWhole)
  const last = at === undefined ? linked.tip : positionOf(at, links, { ...linked, isWhole })
  const path: number[] = []
  for (let position = last; position >= 0; position = linked.parents[position]!) {
    path.push(position)
  }
  return {
    path: path.reverse(),
    parents: linked.parents,
    onChainCount: linked.onChainCount,
    guessed: linked.guessed,
    turnEnds: linked.turnEnds,
    isTipNewest: linked.isTipNewest,
    degraded: path.some((position) => linked.guessed.has(position)),
    reachedOpaque: !isWhole,
    isUndecided: at === undefined ? !linked.isTipSure : last === NONE && !isWhole,
    nextPrevUuid: last === linked.tip ? nextPrevUuid(last, links, linked) : null,
    findings: linked.findings,
  }
}

/** In `parents`: nothing is before it. */
export const ROOT = -1
// Other values of `parents` that are not positions.
const NONE = ROOT
const UNREAD = -2
const OFF_CHAIN = -3

interface Linked {
  /** Position → position of the event before it. */
  readonly parents: Int32Array
  readonly guessed: ReadonlySet<number>
  readonly turnEnds: ReadonlySet<number>
  /** The last on-chain event with that uuid; negative where it is only off-chain. */
  readonly positions: ReadonlyMap<string, number>
  readonly tip: number
  readonly isTipSure: boolean
  readonly isTipNewest: boolean
  readonly onChainCount: number
  readonly findings: readonly Diagnostic[]
}

function linkUp(links: readonly PlacedLink[], isWhole: boolean): Linked {
  const findings: Diagnostic[] = []
  const parents = new Int32Array(links.length).fill(OFF_CHAIN)
  const guessed = new Set<number>()
  const turnEnds = new Set<number>()
  // One table for both whether a uuid is known and where it is: building it is most of the cost.
  const positions = new Map<string, number>()
  const tips = new TipWatch(positions, isWhole)
  const edge = isWhole ? NONE : UNREAD
  let previous = edge
  let onChainCount = 0
  // By index: most walks run once, in a resume, before the code is optimized.
  for (let position = 0; position < links.length; position++) {
    const link = links[position]!
    const verdict = tips.judge(link, position)
    const earlier = positions.get(link.uuid)
    if (earlier !== undefined) findings.push(finding('duplicate_uuid', link, REPEATED))
    else positions.set(link.uuid, OFF_CHAIN)
    if (link.type === 'turn_end' && previous >= 0) {
      turnEnds.add(previous)
      if (isTipNewest()) turnEnds.add(tips.tip)
    }
    if (verdict === 'off_chain') continue
    // Without the start of the file a root cannot be distinguished from a stray header, so a path
    // through this one, or through an event of the same uuid before it, counts as continuing in the
    // unread part.
    const isUnreadRoot = isHeaderType(link.type) && !isWhole
    if (isUnreadRoot) positions.set(link.uuid, OFF_CHAIN)
    if (verdict === 'extra_header') {
      findings.push(finding('extra_header', link, 'A second header, in the middle of the log'))
      continue
    }
    // A fork has several headers but one root.
    if (!isHeaderType(link.type) || onChainCount === 0) onChainCount++
    if (isUnreadRoot) continue
    parents[position] = parentOf(position, link)
    positions.set(link.uuid, position)
    // Repeated headers are one: a turn that ended after the first ended after all.
    if (isHeaderType(link.type) && turnEnds.size > 0) turnEnds.add(position)
    previous = position
  }
  if (isWhole && links.length > 0 && !isHeaderType(links[0]!.type)) {
    findings.push(finding('missing_header', links[0]!, 'The log does not begin with a header'))
  }
  const { tip, isSure: isTipSure } = tips
  const tipFacts = { tip, isTipSure, isTipNewest: isTipNewest() }
  return { parents, guessed, turnEnds, positions, ...tipFacts, onChainCount, findings }

  // After a copied block the end of a turn is a copy too, and not that of the tip.
  function isTipNewest(): boolean {
    const [tip, newest] = [links[tips.tip], links[previous]]
    if (tip === undefined || newest === undefined) return false
    return newest.uuid === tip.uuid || isHeaderType(newest.type)
  }

  function parentOf(position: number, link: PlacedLink): number {
    if (isHeaderType(link.type)) return NONE
    if (link.prev_uuid === null) {
      // The first event of a log without a header is its root, and its link is valid.
      if (previous >= 0) findings.push(finding('unlinked', link, UNLINKED))
      return previous
    }
    const named = positions.get(link.prev_uuid)
    if (named !== undefined && named >= 0) return named
    if (!isWhole) return UNREAD
    const message = `It follows "${link.prev_uuid}", which is not in the log before it`
    findings.push(finding('dangling_prev', link, message))
    guessed.add(position)
    return previous
  }
}

/** The tip rule, and whether the part that was not read could have changed its answer. */
class TipWatch {
  readonly #rule: TipRule
  readonly #isWhole: boolean
  #isAsked = false
  tip = NONE
  isSure: boolean

  constructor(seen: ReadonlyMap<string, number>, isWhole: boolean) {
    this.#isWhole = isWhole
    this.isSure = isWhole
    this.#rule = new TipRule((uuid) => {
      const isSeen = seen.has(uuid)
      if (!isSeen) this.#isAsked = true
      return isSeen
    })
  }

  judge(link: PlacedLink, position: number): ReturnType<TipRule['take']> {
    this.#isAsked = false
    const verdict = this.#rule.take(link)
    if (verdict === 'tip') this.tip = position
    if (this.#isWhole) return verdict
    // A boundary at the offset that it states is a tip whatever came before it. Any other event is
    // certainly a tip only if it follows one that is, because an event of the same uuid may be in
    // the unread part.
    if (link.isGenuine === true && verdict === 'tip') this.isSure = true
    else if (this.#isAsked) this.isSure = false
    return verdict
  }
}

/**
 * The last on-chain event with that uuid; for an off-chain event, the on-chain event before it, if
 * the whole file was read.
 */
function positionOf(
  at: string,
  links: readonly PlacedLink[],
  { positions, parents, isWhole }: Linked & { isWhole: boolean },
): number {
  const onChain = positions.get(at)
  if (onChain !== undefined && onChain >= 0) return onChain
  const off = isWhole ? links.findLastIndex(({ uuid }) => uuid === at) : NONE
  return parents.findLastIndex((parent, position) => position < off && parent !== OFF_CHAIN)
}

/** `null` where a repeated line after the tip receives the links that name the tip. */
function nextPrevUuid(last: number, links: readonly PlacedLink[], { positions }: Linked) {
  const uuid = links[last]?.uuid
  return uuid !== undefined && positions.get(uuid) === last ? uuid : null
}

const REPEATED = 'An earlier line has the same uuid'
const UNLINKED = 'It does not name the event it follows'

function finding(
  code: Parameters<typeof diagnostic>[0],
  { byte_offset, line_number, uuid }: PlacedLink,
  message: string,
): Diagnostic {
  return diagnostic(code, message, { byte_offset, line_number, uuid })
}
