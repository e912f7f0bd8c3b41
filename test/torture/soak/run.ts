// The long run: every lane in its own process, all at the same time, until the time is up; then the
// test suite at full length. Prints its progress and a table, and fails on any finding.

import { execFileSync, spawn } from 'node:child_process'
import { cpus, release } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Tally } from './lane.js'
import { publish, type Run, TARGETS, totalsTable } from './table.js'

const LOADER = new URL('../../helpers/typescript.mjs', import.meta.url).href
const LANE = fileURLToPath(new URL('lane.ts', import.meta.url))
const NAMES: readonly string[] = TARGETS.map(({ lane }) => lane)
const HELP = `npm run soak -- --minutes N [--seed S] [--lanes kills,stops] [--lanes-only] [--beyond] [--dry]

  --minutes  how long, at most                                     (default 10)
  --seed     to repeat a run                                       (default: random)
  --lanes    only these: ${NAMES.join(', ')}
  --lanes-only  without the test suite at full length (JSONL_SESSION_SOAK=1 npm test)
  --beyond   do not stop a lane when it has reached its target
  --dry      do not write the figures into docs/RELIABILITY.md
`
const PROGRESS_MS = 10_000

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    lanes: { type: 'string' },
    'lanes-only': { type: 'boolean', default: false },
    beyond: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

async function main(): Promise<number> {
  const minutes = Number(values.minutes)
  if (values.help || !(minutes > 0)) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const seed = Number(values.seed ?? 1 + Math.floor(Math.random() * 2 ** 31))
  const lanes = values.lanes?.split(',') ?? NAMES
  const unknown = lanes.find((lane) => !NAMES.includes(lane))
  if (unknown !== undefined) {
    process.stderr.write(`There is no lane "${unknown}"\n\n${HELP}`)
    return 2
  }
  process.stdout.write(`Soaking for at most ${minutes} minutes. TORTURE_SEED=${seed}\n`)
  // Read now: a later commit is not what runs.
  const commit = presentCommit()
  const tallies = await soak(lanes, seed, Date.now() + minutes * 60_000)
  const run: Run = {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    commit,
    machine: `${cpus().length} cores, ${process.platform} ${release()}, Node ${process.versions.node}`,
    seed,
    minutes,
    lanes: tallies,
  }
  process.stdout.write(`\n${totalsTable([run]).join('\n')}\n`)
  const findings = Object.entries(tallies).flatMap(([lane, { findings }]) =>
    findings.map((finding) => `${lane}: ${finding}`),
  )
  for (const finding of findings) process.stdout.write(`${finding}\n`)
  if (!values.dry) publish(run)
  const isAll = values.lanes === undefined && !values['lanes-only']
  if (isAll && !(await runTests())) findings.push('tests: the test suite at full length failed')
  if (findings.length === 0) return 0
  // The seed of each lane depends on its position in the list.
  const same = values.lanes === undefined ? '' : ` --lanes ${values.lanes}`
  const again = `npm run soak -- --minutes ${minutes} --seed ${seed}${same}`
  process.stdout.write(`To run it again: ${again}\n`)
  return 1
}

async function soak(lanes: readonly string[], seed: number, until: number) {
  const tallies: Record<string, Tally> = {}
  const timer = setInterval(() => {
    const done = Object.entries(tallies).map(([lane, { count }]) => `${lane} ${count}`)
    process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${done.join(', ')}\n`)
  }, PROGRESS_MS)
  await Promise.all(
    lanes.map((lane, index) =>
      runLane(lane, seed + index, until, (tally) => {
        tallies[lane] = tally
      }),
    ),
  )
  clearInterval(timer)
  return tallies
}

async function runLane(
  lane: string,
  seed: number,
  until: number,
  report: (tally: Tally) => void,
): Promise<void> {
  const known = TARGETS.find((target) => target.lane === lane)
  const target = (values.beyond ? undefined : known?.target) ?? Number.MAX_SAFE_INTEGER
  const args = ['--import', LOADER, LANE, lane, String(seed), String(until), String(target)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let last: Tally | undefined
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = JSON.parse(line)
    report(last!)
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code === 0 && last !== undefined) return
  const harms = { lost: 0, altered: 0, hung: 0, ...last?.harms, untyped: 1 }
  const findings = [...(last?.findings ?? []), `the lane ended with ${code}`]
  report({ count: last?.count ?? 0, checked: last?.checked ?? 0, harms, findings })
}

/** Whether the test suite passes with all of its random cases. */
async function runTests(): Promise<boolean> {
  const env = { ...process.env, JSONL_SESSION_SOAK: '1' }
  const child = spawn('npx', ['vitest', 'run'], { env, stdio: 'inherit' })
  return (await new Promise((resolve) => child.on('close', resolve))) === 0
}

function presentCommit(): string {
  try {
    const run = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
    const isClean = run('status', '--porcelain', '--', 'lib', 'test') === ''
    return `${run('rev-parse', '--short', 'HEAD')}${isClean ? '' : ' and changes'}`
  } catch {
    return 'unknown'
  }
}

process.exitCode = await main()
