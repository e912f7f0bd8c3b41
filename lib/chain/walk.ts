// From a file's links to its chain: which event is the tip, and the path from the root to it.
//
// Pure, and it never throws on bad data: what does not fit is taken in the way that loses least,
// and reported. The rules stand in docs/FORMAT.md, "Readers must". Given only the last part of a
// file it never guesses: it says where its knowledge ends.

import {
  type Diagnostic,
  diagnostic,
  isHeaderType,
  type PlacedLink,
  TipRule,
} from '../format/index.js'

export interface WalkOptions {
  /** Walk to this event instead of the tip: the last one on the chain with that uuid. */
  readonly at?: string | undefined
  /** `false`: these are the last links of a file whose beginning was not read. Default `true`. */
  readonly isWhole?: boolean | undefined
}

export interface Walk {
  /** Positions in the given links, from the root to the tip. Empty when there is no such event. */
  readonly path: readonly number[]
  readonly onChainCount: number
  /** Positions of events that follow a missing one, and were linked to the one before them. */
  readonly guessed: ReadonlySet<number>
  /** Positions of the events of the chain behind which a turn ended, with none in between. */
  readonly turnEnds: ReadonlySet<number>
  /** No other event of the chain stands behind the tip, so a turn that ends now ends there. */
  readonly isTipNewest: boolean
  /** There is such an event on the path, so the chain may not be what it was. */
  readonly isDegraded: boolean
  /** The path goes on in the part that was not read. Never in a whole file. */
  readonly reachedOpaque: boolean
  /** Which event is the last of the path depends on the part that was not read. */
  readonly isUndecided: boolean
  /** What an event must name as its `prev_uuid` to continue this path; `null` when none can. */
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
    onChainCount: linked.onChainCount,
    guessed: linked.guessed,
    turnEnds: linked.turnEnds,
    isTipNewest: linked.isTipNewest,
    isDegraded: path.some((position) => linked.guessed.has(position)),
    reachedOpaque: !isWhole,
    isUndecided: at === undefined ? !linked.isTipSure : last === NONE && !isWhole,
    nextPrevUuid: last === linked.tip ? nextPrevUuid(last, links, linked) : null,
    findings: linked.findings,
  }
}

// What stands in `parents` where no position can.
const NONE = -1
const UNREAD = -2
const OFF_CHAIN = -3

interface Linked {
  /** Position → position of the event before it. */
  readonly parents: Int32Array
  readonly guessed: ReadonlySet<number>
  readonly turnEnds: ReadonlySet<number>
  /** The last event of the chain with that uuid; negative where it stands only beside the chain. */
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
  // One table for both questions, whether a uuid is known and where it stands: it is most of the cost.
  const positions = new Map<string, number>()
  const tips = new TipWatch(positions, isWhole)
  const edge = isWhole ? NONE : UNREAD
  let previous = edge
  let onChainCount = 0
  // By index: most walks are those of a resume, whose code runs for the first time.
  for (let position = 0; position < links.length; position++) {
    const link = links[position]!
    const verdict = tips.take(link, position)
    const earlier = positions.get(link.uuid)
    if (earlier !== undefined) findings.push(finding('duplicate_uuid', link, REPEATED))
    else positions.set(link.uuid, OFF_CHAIN)
    if (link.type === 'turn_end' && previous >= 0) {
      turnEnds.add(previous)
      if (isTipNewest()) turnEnds.add(tips.tip)
    }
    if (verdict === 'off_chain') continue
    if (verdict === 'extra_header') {
      findings.push(finding('extra_header', link, 'A second header, in the middle of the log'))
      continue
    }
    // A fork has several headers, and one root.
    if (!isHeaderType(link.type) || onChainCount === 0) onChainCount++
    // Without the beginning of the file nobody can tell a root from a stray header, so what
    // names this one counts as going on in the part that was not read.
    if (isHeaderType(link.type) && !isWhole) continue
    parents[position] = parentOf(position, link)
    positions.set(link.uuid, position)
    // Repeated headers are one: what ended behind the first of them ended behind all.
    if (isHeaderType(link.type) && turnEnds.size > 0) turnEnds.add(position)
    previous = position
  }
  if (isWhole && links.length > 0 && !isHeaderType(links[0]!.type)) {
    findings.push(finding('missing_header', links[0]!, 'The log does not begin with a header'))
  }
  const { tip, isSure: isTipSure } = tips
  const tipFacts = { tip, isTipSure, isTipNewest: isTipNewest() }
  return { parents, guessed, turnEnds, positions, ...tipFacts, onChainCount, findings }

  // Behind a copied block the end of a turn is a copy, too: it says nothing of the tip.
  function isTipNewest(): boolean {
    const [tip, newest] = [links[tips.tip], links[previous]]
    if (tip === undefined || newest === undefined) return false
    return newest.uuid === tip.uuid || isHeaderType(newest.type)
  }

  function parentOf(position: number, link: PlacedLink): number {
    if (isHeaderType(link.type)) return NONE
    if (link.prev_uuid === null) {
      // The first event of a log without a header is its root; nothing is wrong with its link.
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

  take(link: PlacedLink, position: number): ReturnType<TipRule['take']> {
    this.#isAsked = false
    const verdict = this.#rule.take(link)
    if (verdict === 'tip') this.tip = position
    if (this.#isWhole) return verdict
    // A boundary that stands where it says it stands is a tip whatever came before it. Any other
    // event is one for sure only if it follows a tip that was sure, because an event of the same
    // uuid may stand in the part that was not read.
    if (link.isGenuine === true && verdict === 'tip') this.isSure = true
    else if (this.#isAsked) this.isSure = false
    return verdict
  }
}

/**
 * The last event on the chain with that uuid; of an event off the chain, the one before it. That
 * there is none on the chain only the whole file can tell.
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

/** A repeated line behind the tip catches the links that name the tip, so nothing follows it. */
function nextPrevUuid(last: number, links: readonly PlacedLink[], { positions }: Linked) {
  const uuid = links[last]?.uuid
  return uuid !== undefined && positions.get(uuid) === last ? uuid : null
}

const REPEATED = 'An earlier line has the same uuid'
const UNLINKED = 'It says of no event that it follows it'

function finding(
  code: Parameters<typeof diagnostic>[0],
  { byte_offset, line_number, uuid }: PlacedLink,
  message: string,
): Diagnostic {
  return diagnostic(code, message, { byte_offset, line_number, uuid })
}
