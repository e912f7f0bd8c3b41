// Measures the built package against other ways to do the same. See README.md here.
//
// This process only conducts: whatever is measured runs in others, so a signal is always answered
// and the temporary folder is always removed.

import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { constants, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cases, rowsOf } from './cases/index.mjs'
import { openLog } from './library.mjs'
import { runInChild, stopChildren } from './processes.mjs'
import { finishRow, summaryOf, tableOf } from './report.mjs'

const USAGE = `Usage: npm run bench -- [options]

  --only name,…   these cases, or those whose names begin so
  --quick         fewer rounds, and a log of 100 MB instead of 1 GB
  --json FILE     also write all figures to a file
  --check         exit with 1 when a target is missed
  --list          name the cases
`
const TMPFS = 0x01021994
const SMALL_BYTES = 10_000_000

const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-bench-'))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, async () => {
    await stopChildren()
    removeFolder()
    process.exit(128 + constants.signals[signal])
  })
}
try {
  process.exitCode = await main()
} finally {
  removeFolder()
}

async function main() {
  const options = optionsOf(process.argv.slice(2))
  if (options === undefined) return 2
  if (options.help || options.list) {
    console.log(options.help ? USAGE : cases.map(({ name }) => name).join('\n'))
    return 0
  }
  const machine = await describeMachine()
  const rows = await runCases(options)
  console.log(`${headOf(machine, options)}\n\n${tableOf(rows)}\n\n${summaryOf(rows)}`)
  if (options.json !== undefined) {
    const report = { ...machine, isQuick: options.quick, rows }
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
  }
  if (rows.some(({ verdict }) => verdict === 'crashed')) return 1
  return options.check && rows.some(({ verdict }) => verdict === 'missed') ? 1 : 0
}

function optionsOf(args) {
  const flag = { type: 'boolean', default: false }
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string' },
        json: { type: 'string' },
        quick: flag,
        check: flag,
        list: flag,
        help: { ...flag, short: 'h' },
      },
    })
    return { ...values, selected: selectedCases(values.only) }
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`)
    return undefined
  }
}

function selectedCases(only) {
  if (only === undefined) return cases
  const names = only.split(',').flatMap((wanted) => {
    const exact = cases.filter(({ name }) => name === wanted)
    const found = exact.length > 0 ? exact : cases.filter(({ name }) => name.startsWith(wanted))
    if (wanted === '' || found.length === 0) throw new Error(`There is no case "${wanted}"`)
    return found
  })
  return cases.filter((candidate) => names.includes(candidate))
}

async function runCases({ selected, quick: isQuick }) {
  const rows = []
  let logs
  for (const current of selected) {
    if (current.needsLogs && logs === undefined) logs = await makeLogs(isQuick)
    process.stderr.write(`${current.name} …`)
    const done = await runCase(current, { isQuick, logs })
    rows.push(...done)
    console.error(` ${done.map(({ note, verdict }) => note ?? verdict).join(', ')}`)
  }
  return rows
}

async function runCase(current, context) {
  const rows = rowsOf(current)
  const caseFolder = join(folder, current.name)
  mkdirSync(caseFolder, { mode: 0o700 })
  try {
    const argument = { ...context, name: current.name, folder: caseFolder }
    const { measured, skipped } = await runInChild('case', argument, { ownGroup: true })
    if (skipped === undefined) return rows.map((row, index) => finishRow(row, measured[index]))
    return rows.map((row) => ({ ...row, verdict: 'skipped', note: skipped }))
  } catch (error) {
    console.error(`\n${error.message}`)
    return rows.map((row) => ({ ...row, verdict: 'crashed', error: error.message }))
  } finally {
    rmSync(caseFolder, { recursive: true, force: true })
  }
}

async function makeLogs(isQuick) {
  process.stderr.write('making the logs …')
  const logs = [
    { name: 'large', path: join(folder, 'large.jsonl'), bytes: isQuick ? 100_000_000 : 1e9 },
    { name: 'small', path: join(folder, 'small.jsonl'), bytes: SMALL_BYTES },
  ]
  const made = await runInChild('make-logs', logs, { ownGroup: true })
  const { bytes, lines } = made.large
  console.error(` ${lines} lines of ${Math.round(bytes / lines)} bytes on average`)
  return made
}

async function describeMachine() {
  const writer = await openLog(join(folder, 'lock.jsonl'))
  const { lockKind } = writer
  await writer.close()
  return {
    startedAt: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    load: loadavg()[0],
    lockKind,
    isInMemory: statfsSync(folder).type === TMPFS,
  }
}

function headOf({ node, platform, processor, cores, load, lockKind, isInMemory }, { quick }) {
  const lines = [
    `Node ${node}, ${platform}, ${cores} × ${processor}, load ${load.toFixed(1)}, ${lockKind} lock`,
    'Ratios of speed, ours to theirs: above 1 we are faster.',
  ]
  if (quick) {
    lines.push('Quick: few rounds, and a large log of 100 MB, where a cold start weighs ten times.')
  }
  if (isInMemory) lines.push('The temporary folder is in memory, where a sync costs nothing.')
  return lines.join('\n')
}

function removeFolder() {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
