// Random histories, made of small steps so that a failing one shrinks to few.
// Each step is a name and three numbers, from which it makes its choices.

import fc from 'fast-check'
import type { ProjectionStart } from '../../lib/chain/index.js'
import { type Cut, History } from './history.js'
import { readForward } from './reading.js'

export type RandomStep = readonly [StepName, number, number, number]

const pick = fc.nat({ max: 1000 })

/** Steps of all kinds, or of the given ones only. */
export function randomSteps(
  length: number,
  names: readonly StepName[] = ALL,
): fc.Arbitrary<RandomStep[]> {
  const kinds = names.flatMap((name) => Array.from({ length: WEIGHTS[name] }, () => name))
  const step = fc.tuple(fc.constantFrom(...kinds), pick, pick, pick)
  return fc.array(step, { minLength: 1, maxLength: length, size: 'max' })
}

export interface RandomOptions {
  readonly file?: string
  readonly start?: ProjectionStart | undefined
  /** Put before the uuids; with the same one parent and child use equal uuids. */
  readonly prefix?: string
}

export function randomHistory(
  steps: readonly RandomStep[],
  { file = 'log', start, prefix = '' }: RandomOptions = {},
): History {
  const history = new History({ file })
  const around = { history, start, prefix, count: 0 }
  for (const [kind, ...picks] of steps) STEPS[kind](around, picks)
  return history
}

interface Around {
  readonly history: History
  readonly start: ProjectionStart | undefined
  readonly prefix: string
  count: number
}

type Picks = readonly [number, number, number]

const STEPS = {
  message(around: Around, [a]: Picks) {
    for (let left = a % 3; left >= 0; left--) around.history.m(fresh(around, 'm'))
  },
  suffix(around: Around, [a, b, c]: Picks) {
    const shown = shownBy(around)
    const head = a % Math.max(shown.length, 1)
    if (shown.length === 0) return
    late(around, b)
    const coveredTo = c % 4 === 0 ? undefined : shown[head - 1]
    write(around, { head: shown[head]!, tail: shown.at(-1)!, coveredTo })
  },
  /** As most harnesses do it: the last few stay. */
  plain(around: Around, [a, b]: Picks) {
    const shown = shownBy(around)
    const head = Math.max(shown.length - 1 - (a % 3), 0)
    if (shown.length === 0) return
    late(around, b)
    write(around, { head: shown[head]!, tail: shown.at(-1)!, coveredTo: shown[head - 1] })
  },
  prefix(around: Around, [a, b, c]: Picks) {
    const shown = shownBy(around)
    if (shown.length === 0) return
    const head = a % shown.length
    const tail = head + (b % (shown.length - head))
    late(around, c)
    const coveredTo = c % 5 === 0 ? undefined : shown.at(-1)
    write(around, { head: shown[head]!, tail: shown[tail]!, isPrefix: true, coveredTo })
  },
  nothing(around: Around, [a, b]: Picks) {
    const shown = shownBy(around)
    late(around, b)
    write(around, { coveredTo: a % 2 === 0 ? undefined : shown.at(-1 - (a % 3)) })
  },
  listed(around: Around, [a, b, c]: Picks) {
    const shown = shownBy(around)
    const keptUuids = [a, b, c].slice(c % 3).flatMap((at) => any(around, at) ?? [])
    const coveredTo = b % 3 === 0 ? undefined : shown.at(-1 - (a % 2))
    write(around, { keptUuids, coveredTo, isPrefix: a % 2 === 0, text: c % 3 ? 'listed' : '' })
  },
  rewind(around: Around, [a, b]: Picks) {
    const shown = shownBy(around)
    const to = a % 3 === 0 ? any(around, b) : shown[b % Math.max(shown.length, 1)]
    if (to !== undefined) rewindTo(to, around)
  },
  truncate(around: Around, [a]: Picks) {
    const { history } = around
    history.rewind(fresh(around, 'R'), history.tip, any(around, a) ?? 'gone')
  },
  orphanSummary(around: Around) {
    around.history.summary(fresh(around, 'S'))
  },
  /** A boundary that says anything, behind a summary or not, in its place or not. */
  crafted(around: Around, [a, b, c]: Picks) {
    const { history } = around
    const summary = a % 3 === 0 ? (any(around, b) ?? 'gone') : fresh(around, 'S')
    if (a % 3 === 1) history.summary(summary, a % 7 === 1 ? ' ' : undefined)
    if (a % 11 === 0) history.m(fresh(around, 'm'))
    history.boundary({
      summary,
      head: b % 5 === 0 ? null : (any(around, b) ?? null),
      tail: c % 5 === 0 ? null : (any(around, c) ?? null),
      isPrefix: b % 2 === 0,
      coveredTo: c % 3 === 0 ? undefined : any(around, a + b + c),
      fields: {
        ...(a % 13 === 0 ? { anchorUuid: 'elsewhere' } : {}),
        ...(b % 4 === 0 ? { offsets: { self: c } } : {}),
        ...(c % 6 === 0 ? { epoch: 'none' } : {}),
      },
    })
  },
  again(around: Around, [a]: Picks) {
    around.history.again(any(around, a) ?? 'again')
  },
  copy(around: Around, [a, b]: Picks) {
    const { history } = around
    const first = a % history.lines.length
    const last = Math.min(first + (b % 3), history.lines.length - 1)
    for (let position = first; position <= last; position++) history.copy(position)
  },
  damage(around: Around, [a, b]: Picks) {
    const { lines } = around.history
    // Mostly of the newest lines: damage far back is seldom seen.
    const position =
      b % 2 === 0 ? a % lines.length : lines.length - 1 - (a % Math.min(6, lines.length))
    if (lines.length > 1) around.history.damageAt(Math.max(position, b % 7 === 0 ? 0 : 1))
  },
  edit(around: Around, [a, b]: Picks) {
    const { history } = around
    const payload = b % 3 === 0 ? null : { content: `edited ${history.lines.length}` }
    history.edit(any(around, a) ?? 'gone', b % 11 === 0 ? 'invalid' : payload)
  },
  revise(around: Around, [a, b]: Picks) {
    const { history } = around
    const summaries = history.lines.filter(({ event }) => event.type === 'summary')
    const summary = summaries[a % Math.max(summaries.length, 1)]?.event.uuid ?? 'gone'
    history.revise(summary, b % 9 === 0 ? '' : `revised ${history.lines.length}`)
  },
  offChain(around: Around) {
    const uuid = fresh(around, 'x')
    around.history.add({ type: 'session_meta', uuid, prev_uuid: null, payload: { title: 'x' } })
  },
  turnEnd(around: Around) {
    around.history.add({ type: 'turn_end', uuid: fresh(around, 'x'), prev_uuid: null })
  },
  unknownType(around: Around) {
    around.history.add({ type: 'vendor.note', uuid: fresh(around, 'x') })
  },
  header(around: Around, [a]: Picks) {
    around.history.header(a % 2 === 0 ? 'H' : fresh(around, 'H'))
  },
  /** A reply in the place of the tip, as after a partial one. */
  supersede(around: Around) {
    const { history } = around
    const tip = history.lines.findLast(({ event }) => event.uuid === history.tip)?.event
    if (tip === undefined || tip.prev_uuid === null) return
    const uuid = fresh(around, 'm')
    const payload = { content: uuid, supersedes: tip.uuid }
    history.add({ type: 'assistant', uuid, prev_uuid: tip.prev_uuid, payload })
  },
  strangeLink(around: Around, [a, b]: Picks) {
    const uuid = fresh(around, 'm')
    const links = ['gone', null, uuid, any(around, b) ?? null]
    const prev_uuid = links[a % links.length]!
    around.history.add({ type: 'user', uuid, prev_uuid, payload: { content: uuid } })
  },
} as const satisfies Record<string, (around: Around, picks: Picks) => void>

export type StepName = keyof typeof STEPS

const WEIGHTS = {
  message: 14,
  plain: 6,
  suffix: 4,
  prefix: 3,
  nothing: 2,
  listed: 2,
  rewind: 4,
  truncate: 1,
  orphanSummary: 1,
  crafted: 3,
  again: 1,
  copy: 1,
  damage: 2,
  edit: 3,
  revise: 2,
  offChain: 1,
  turnEnd: 2,
  unknownType: 1,
  header: 1,
  supersede: 2,
  strangeLink: 1,
} as const satisfies Record<StepName, number>

const ALL = Object.keys(WEIGHTS) as StepName[]

/** What honest writers do, nothing repeated, nothing damaged. */
export const TAME: readonly StepName[] = [
  'message',
  'plain',
  'suffix',
  'prefix',
  'nothing',
  'rewind',
]

/** The rules a writer follows; the first that fits. */
export function rewindTo(to: string, { history, start, prefix, count }: Around): void {
  const { projection } = readForward(history, start)
  const { entries, compactedCount, lastBoundary } = projection
  const uuid = `${prefix}R${count}-${history.lines.length}`
  const own = entries.findLastIndex(
    (e) => 'event' in e && e.file === history.file && e.event.uuid === to,
  )
  const index = own >= 0 ? own : entries.findLastIndex((e) => 'event' in e && e.event.uuid === to)
  if (lastBoundary !== null && index >= 0 && index < compactedCount) {
    history.rewind(uuid, lastBoundary.uuid, to)
  } else if (history.lines.some(({ event }) => event.uuid === to)) history.rewind(uuid, to)
  else if (index >= 0) history.rewind(uuid, 'H', to)
}

function late(around: Around, pick: number): void {
  if (pick % 3 === 0) around.history.m(fresh(around, 'late'))
}

function write(around: Around, cut: Omit<Cut, 'summary'>): void {
  around.history.compact({ summary: fresh(around, 'S'), ...cut })
}

function fresh(around: Around, kind: string): string {
  around.count++
  return `${around.prefix}${kind}${around.count}`
}

/** Any uuid of the file or of what it started with, near or far. */
function any({ history, start }: Around, pick: number): string | undefined {
  const own = history.lines.map(({ event }) => event.uuid)
  const inherited = (start?.entries ?? []).flatMap((e) => ('event' in e ? e.event.uuid : []))
  const all = [...inherited, ...own]
  return all[pick % Math.max(all.length, 1)]
}

function shownBy({ history, start }: Around): string[] {
  const { entries } = readForward(history, start).projection
  return entries.flatMap((entry) => ('event' in entry ? entry.event.uuid : []))
}
