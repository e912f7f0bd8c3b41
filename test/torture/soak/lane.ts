// One kind of test, repeated for a given time. A lane runs in its own process and reports its progress
// and findings on stdout, one JSON object per line.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../helpers/random.js'
import { runCrashes } from './crashes.js'
import { runFaults } from './faults.js'
import { runFollowers } from './followers.js'
import { runKills } from './kills.js'
import { runModels } from './models.js'
import { runMutations } from './mutations.js'
import { runPowerCuts } from './power-cuts.js'
import { runSpool } from './spool.js'
import { runStops } from './stops.js'
import { runTakeovers } from './takeovers.js'

/** What can be wrong, as it is counted in the table. */
export type Harm = 'lost' | 'altered' | 'untyped' | 'hung'

export interface Tally {
  /** How many repetitions. */
  readonly count: number
  /** Acknowledged events that were looked for. */
  readonly checked: number
  readonly harms: Readonly<Record<Harm, number>>
  /** The first few, as text. */
  readonly findings: readonly string[]
  /** Why nothing was done. */
  readonly skipped?: string | undefined
}

export class LaneContext {
  readonly random: Random
  readonly folder: string
  readonly #until: number
  readonly #target: number
  readonly #harms: Record<Harm, number> = { lost: 0, altered: 0, untyped: 0, hung: 0 }
  readonly #findings: string[] = []
  #count = 0
  #checked = 0
  #skipped: string | undefined

  constructor(options: { seed: number; folder: string; until: number; target: number }) {
    this.random = new Random(options.seed)
    this.folder = options.folder
    this.#until = options.until
    this.#target = options.target
  }

  /** The time is up, or the target is reached. */
  get isOver(): boolean {
    return Date.now() >= this.#until || this.#count >= this.#target
  }

  done(count: number, checked = 0): void {
    this.#count += count
    this.#checked += checked
  }

  harm(harm: Harm, finding: string): void {
    this.#harms[harm]++
    if (this.#findings.length < 10) this.#findings.push(`${harm}: ${finding.slice(0, 600)}`)
  }

  skip(reason: string): void {
    this.#skipped = reason
  }

  get tally(): Tally {
    return {
      count: this.#count,
      checked: this.#checked,
      harms: this.#harms,
      findings: this.#findings,
      skipped: this.#skipped,
    }
  }
}

const LANES: Readonly<Record<string, (context: LaneContext) => Promise<void>>> = {
  kills: runKills,
  stops: runStops,
  mutations: runMutations,
  crashes: runCrashes,
  faults: runFaults,
  models: runModels,
  'power-cuts': runPowerCuts,
  takeovers: runTakeovers,
  followers: runFollowers,
  spool: runSpool,
}
const IN_MEMORY = new Set(['mutations', 'crashes', 'faults', 'models'])
const REPORT_MS = 1000

async function main(): Promise<void> {
  const [name = '', seed, until, target] = process.argv.slice(2)
  const place = IN_MEMORY.has(name) && process.platform === 'linux' ? '/dev/shm' : tmpdir()
  const folder = mkdtempSync(join(place, `jsonl-session-soak-${name}-`))
  const context = new LaneContext({
    seed: Number(seed),
    until: Number(until),
    target: Number(target),
    folder,
  })
  const report = () => process.stdout.write(`${JSON.stringify(context.tally)}\n`)
  const timer = setInterval(report, REPORT_MS)
  try {
    await LANES[name]!(context)
  } catch (error) {
    context.harm('untyped', `the lane itself failed: ${(error as Error).stack ?? error}`)
  } finally {
    clearInterval(timer)
    report()
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
