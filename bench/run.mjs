// Measures the built package against other ways to do the same. See README.md here.
//
// This process only conducts: whatever is measured runs in others, so a signal is always answered
// and the temporary folder is always removed.

import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { constants, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cases, rowsOf } from './cases/index.mjs'
import { growthCases } from './growth/index.mjs'
import { openLog } from './library.mjs'
import { nearNames } from './near-names.mjs'
import { runInChild, stopChildren } from './processes.mjs'
import { publish } from './publish.mjs'
import { curveTableOf, finishRow, summaryOf, tableOf } from './report.mjs'

const USAGE = `Usage: npm run bench -- [options]

  --only name,…   these cases, or those whose names begin so
  --quick         fewer rounds and small sizes: a log of 100 MB instead of 1 GB
  --json FILE     also write all figures to a file
  --publish       also put the figures and the curves into docs/PERFORMANCE.md; what was not run this
                  time stays as it was measured before
  --check         exit with 1 when a target is missed
  --list          name the cases
`
const TMPFS = 0x01021994
const SMALL_BYTES = 10_000_000
const everyCase = [...cases, ...growthCases]

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
    console.log(options.help ? USAGE : everyCase.map(({ name }) => name).join('\n'))
    return 0
  }
  const machine = await describeMachine()
  const { rows, curves } = await runCases(options)
  const report = { ...machine, isQuick: options.quick, rows, curves }
  console.log(headOf(machine, options))
  if (rows.length > 0) console.log(`\n${tableOf(rows)}\n\n${summaryOf(rows)}`)
  for (const curve of curves) console.log(`\n${curve.title}\n\n${curveTableOf(curve)}`)
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
  }
  if (options.publish) console.error(`${publish(report)} is written`)
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
        publish: flag,
        check: flag,
        list: flag,
        help: { ...flag, short: 'h' },
      },
    })
    if (values.quick && values.publish) throw new Error('Quick figures are not for publishing')
    return { ...values, selected: selectedCases(values.only) }
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`)
    return undefined
  }
}

function selectedCases(only) {
  if (only === undefined) return everyCase
  const names = only.split(',').flatMap((wanted) => {
    const exact = everyCase.filter(({ name }) => name === wanted)
    const found = exact.length > 0 ? exact : everyCase.filter(({ name }) => name.startsWith(wanted))
    if (wanted === '' || found.length === 0) throw new Error(noCaseMessage(wanted))
    return found
  })
  return everyCase.filter((candidate) => names.includes(candidate))
}

function noCaseMessage(wanted) {
  const near = nearNames(
    wanted,
    everyCase.map(({ name }) => name),
  )
  const hint = near.length > 0 ? `; near it: ${near.join(', ')}` : ''
  return `There is no case "${wanted}"${hint}`
}

async function runCases({ selected, quick: isQuick }) {
  const rows = []
  const curves = []
  let logs
  for (const current of selected) {
    if (current.needsLogs && logs === undefined) logs = await makeLogs(isQuick)
    process.stderr.write(`${current.name} …`)
    const start = performance.now()
    const run = growthCases.includes(current) ? runGrowth : runCase
    const done = await run(current, { isQuick, logs })
    rows.push(...(done.rows ?? []))
    curves.push(...(done.curves ?? []))
    const seconds = ((performance.now() - start) / 1000).toFixed(0)
    console.error(` ${done.said} (${seconds} s)`)
  }
  return { rows, curves }
}

async function runCase(current, context) {
  const rows = await measuredRows(current, context)
  return { rows, said: rows.map(({ note, verdict }) => note ?? verdict).join(', ') }
}

async function measuredRows(current, context) {
  const measuredAt = new Date().toISOString()
  const rows = rowsOf(current).map((row) => ({ ...row, measuredAt }))
  try {
    const { measured, skipped } = await runAlone('case', current, context)
    if (skipped === undefined) return rows.map((row, index) => finishRow(row, measured[index]))
    return rows.map((row) => ({ ...row, verdict: 'skipped', note: skipped }))
  } catch (error) {
    console.error(`\n${error.message}`)
    return rows.map((row) => ({ ...row, verdict: 'crashed', error: error.message }))
  }
}

/** A growth that fails is a row that says so; there is no curve then. */
async function runGrowth(current, context) {
  const measuredAt = new Date().toISOString()
  try {
    const curves = await runAlone('growth', current, context)
    return {
      curves: curves.map((curve) => ({ ...curve, case: current.name, measuredAt })),
      said: curves.map(({ name }) => name).join(', '),
    }
  } catch (error) {
    console.error(`\n${error.message}`)
    const row = { name: current.name, against: '–', durability: '–', unit: '×', target: null }
    return {
      rows: [{ ...row, measuredAt, verdict: 'crashed', error: error.message }],
      said: 'crashed',
    }
  }
}

async function runAlone(task, { name }, context) {
  const caseFolder = join(folder, name)
  mkdirSync(caseFolder, { mode: 0o700 })
  try {
    return await runInChild(task, { ...context, name, folder: caseFolder }, { ownGroup: true })
  } finally {
    clear(caseFolder)
  }
}

// Children of a case that failed may still be writing there; that must not hide why it failed.
function clear(path) {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    process.stderr.write(` ${path} is left behind: ${error.code}`)
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
    hasExtraCertificates: Boolean(process.env.NODE_EXTRA_CA_CERTS),
  }
}

function headOf(machine, { quick }) {
  const { node, platform, processor, cores, load, lockKind } = machine
  const { isInMemory, hasExtraCertificates } = machine
  const lines = [
    `Node ${node}, ${platform}, ${cores} × ${processor}, load ${load.toFixed(1)}, ${lockKind} lock`,
    'Ratios of speed, ours to theirs: above 1 we are faster.',
  ]
  if (quick) {
    lines.push('Quick: few rounds, and a large log of 100 MB, where a cold start weighs ten times.')
  }
  if (hasExtraCertificates) {
    lines.push(
      'NODE_EXTRA_CA_CERTS is set: Node reads it at every start, so ratios to node -e 0 look better.',
    )
  }
  if (isInMemory) lines.push('The temporary folder is in memory, where a sync costs nothing.')
  return lines.join('\n')
}

function removeFolder() {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
