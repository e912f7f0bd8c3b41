// The runs of the soak as a table, and the page that shows them.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Harm, Tally } from './lane.js'

export interface Run {
  /** When it ended. */
  readonly date: string
  readonly commit: string
  readonly machine: string
  readonly seed: number
  readonly minutes: number
  readonly lanes: Readonly<Record<string, Tally>>
}

/** What each lane does, and how much of it there shall be in the end. */
export const TARGETS: readonly { lane: string; what: string; target: number | undefined }[] = [
  { lane: 'kills', what: 'processes killed with SIGKILL', target: 10_000 },
  { lane: 'stops', what: 'processes stopped and continued', target: 2000 },
  { lane: 'mutations', what: 'changed copies of a log read', target: 1_000_000 },
  { lane: 'crashes', what: 'crash states enumerated and read', target: 2_000_000 },
  { lane: 'faults', what: 'calls to the disk made to fail', target: undefined },
  { lane: 'models', what: 'commands compared with the model', target: undefined },
  { lane: 'power-cuts', what: 'power cuts on a loop-mounted ext4', target: undefined },
  { lane: 'takeovers', what: 'holders killed while eight wait for the lock', target: undefined },
  { lane: 'spool', what: 'events queued by processes while a host writes', target: 100_000 },
  { lane: 'followers', what: 'events seen by followers of many writers', target: undefined },
]

const HARMS: readonly Harm[] = ['lost', 'altered', 'untyped', 'hung']
const RUNS = fileURLToPath(new URL('runs.json', import.meta.url))
const PAGE = fileURLToPath(new URL('../../../docs/RELIABILITY.md', import.meta.url))
const BEGIN = '<!-- soak: begin -->'
const END = '<!-- soak: end -->'

export function readRuns(): readonly Run[] {
  return existsSync(RUNS) ? JSON.parse(readFileSync(RUNS, 'utf8')) : []
}

/** Adds a run to those that were made before, and shows all of them on the page. */
export function publish(run: Run): void {
  const runs = [...readRuns(), run]
  writeFileSync(RUNS, `${JSON.stringify(runs, null, 2)}\n`)
  const page = readFileSync(PAGE, 'utf8')
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin) throw new Error(`${PAGE} has no place for the figures`)
  writeFileSync(PAGE, `${page.slice(0, begin)}${figures(runs)}${page.slice(end + END.length)}`)
}

/** The part of the page between the marks, with the marks. */
export function figures(runs: readonly Run[]): string {
  const lines = [BEGIN, '', ...totalsTable(runs), '', ...runsTable(runs), '', END]
  return lines.join('\n')
}

export function totalsTable(runs: readonly Run[]): string[] {
  const rows = TARGETS.map(({ lane, what, target }) => {
    const tallies = runs.flatMap(({ lanes }) => lanes[lane] ?? [])
    const done = sum(tallies, ({ count }) => count)
    const harms = HARMS.map((harm) => number(sum(tallies, (tally) => tally.harms[harm])))
    const goal = target === undefined ? 'no target' : number(target)
    const state = target === undefined ? '' : done >= target ? 'reached' : '**not reached**'
    const checked = number(sum(tallies, (tally) => tally.checked))
    return [what, number(done), goal, state, checked, ...harms]
  })
  const head = ['what', 'done', 'target', '', 'acknowledged events looked for', ...HARM_NAMES]
  return table(head, rows)
}

const HARM_NAMES = ['lost', 'altered', 'untyped errors', 'hangs']

function runsTable(runs: readonly Run[]): string[] {
  const rows = runs.map(({ date, commit, machine, seed, minutes, lanes }) => {
    const counts = TARGETS.map(({ lane }) => countOf(lanes[lane]))
    return [date, commit, machine, String(minutes), String(seed), ...counts]
  })
  const head = ['date', 'commit', 'machine', 'minutes', 'seed', ...TARGETS.map(({ lane }) => lane)]
  return table(head, rows)
}

function countOf(tally: Tally | undefined): string {
  if (tally === undefined) return 'not run'
  return tally.skipped === undefined ? number(tally.count) : `skipped: ${tally.skipped}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
