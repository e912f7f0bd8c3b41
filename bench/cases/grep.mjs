// A store of 200 transcripts, searched and counted inside this process, against the tools people
// have for it. All of it is in the page cache.

import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { compareTimes, inRandomOrder } from '../harness.mjs'
import { loadSessions } from '../library.mjs'
import { findJq, findRipgrep } from '../peers.mjs'
import { makeStore, PLANTED } from '../transcripts.mjs'

const FILES = 200
const SINCE = '2026-01-03T00:00:00.000Z'
const FILTER = `select(.type == "tool_result" and .ts >= "${SINCE}")`
const NEWLINE = 0x0a

export const grepCases = [
  {
    name: 'grep',
    durability: 'reads only',
    rows: [
      { against: 'rg -F | jq, common bytes', target: { least: 0.45 } },
      { against: 'rg -F | jq, a rare byte', target: { least: 0.9 } },
      { against: 'JSON.parse of every line, chunked', target: { least: 20 } },
      { against: 'jq alone', target: { least: 30 } },
    ],
    async measure({ folder, isQuick }) {
      const rg = findRipgrep()
      findJq()
      const root = join(folder, 'store')
      await makeStore({ root, files: FILES, bytes: isQuick ? 5e7 : 5e8 })
      const { grepStore } = await loadSessions()
      const ours = (pattern) => () => countHits(grepStore, { root, pattern })
      const theirs = (pattern) => () =>
        countLines(`'${rg}' -FIN --no-filename '${pattern}' . | jq -c '${FILTER}'`, root)
      const rounds = isQuick ? 5 : 15
      const both = (pattern) => compare({ ours: ours(pattern), baseline: theirs(pattern) }, rounds)
      const common = await both(PLANTED.common)
      const rare = await both(PLANTED.rare)
      const select = `select(.type == "tool_result" and .ts >= "${SINCE}") | select(.payload.content | contains("${PLANTED.rare}"))`
      const parsed = await compare(
        { ours: ours(PLANTED.rare), baseline: () => parseEvery(root, PLANTED.rare) },
        isQuick ? 2 : 3,
      )
      const jq = await compare(
        {
          ours: ours(PLANTED.rare),
          baseline: () => countLines(`cat *.jsonl | jq -c '${select}'`, root),
        },
        isQuick ? 1 : 3,
      )
      return [common, rare, parsed, jq]
    },
  },
  {
    name: 'stats',
    durability: 'reads only',
    against: 'JSON.parse of every line, chunked',
    target: { least: 3 },
    async measure({ folder, isQuick }) {
      const root = join(folder, 'store')
      const made = await makeStore({ root, files: FILES, bytes: isQuick ? 5e7 : 5e8 })
      const { storeStats } = await loadSessions()
      const ours = async () => {
        const { total } = await storeStats({ root, home: root, by: 'day' })
        if (total.events !== made.lines) throw new Error(`${total.events} events were counted`)
        return total.tokens.output
      }
      return [await compare({ ours, baseline: () => sumTokens(root) }, isQuick ? 3 : 5)]
    },
  },
]

/** Both must find the same, or one of them did not do the work. */
async function compare({ ours, baseline }, rounds) {
  const ways = { ours, baseline, again: baseline }
  const times = { ours: [], baseline: [], again: [] }
  const answers = [await ours(), await baseline()]
  if (answers[0] !== answers[1] || answers[0] === 0)
    throw new Error(`found ${answers.join(' and ')}`)
  await inRandomOrder(Object.keys(ways), rounds, async (name) => {
    const start = performance.now()
    await ways[name]()
    times[name].push((performance.now() - start) * 1000)
  })
  return compareTimes(times)
}

async function countHits(grepStore, { root, pattern }) {
  let count = 0
  const options = { root, pattern, types: ['tool_result'], since: SINCE }
  for await (const { uuid } of grepStore(options)) if (uuid !== null) count++
  return count
}

function countLines(command, root) {
  const cwd = join(root, '.transcripts')
  const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { cwd, maxBuffer: 1e9 })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
  let count = 0
  for (let at = stdout.indexOf(NEWLINE); at !== -1; at = stdout.indexOf(NEWLINE, at + 1)) count++
  return count
}

function parseEvery(root, pattern) {
  let count = 0
  forEachEvent(root, ({ type, ts, payload }) => {
    if (type === 'tool_result' && ts >= SINCE && payload.content.includes(pattern)) count++
  })
  return count
}

function sumTokens(root) {
  let tokens = 0
  const days = new Map()
  forEachEvent(root, ({ ts, payload }) => {
    tokens += payload.usage?.output_tokens ?? 0
    const day = ts.slice(0, 10)
    days.set(day, (days.get(day) ?? 0) + 1)
  })
  return tokens
}

function forEachEvent(root, visit) {
  const folder = join(root, '.transcripts')
  let bytes = Buffer.allocUnsafeSlow(4 * 1024 * 1024)
  for (const name of readdirSync(folder).sort()) {
    const fd = openSync(join(folder, name), 'r')
    let end = 0
    for (let length = -1; length !== 0; ) {
      if (end === bytes.length) bytes = Buffer.concat([bytes], 2 * bytes.length)
      length = readSync(fd, bytes, end, Math.min(256 * 1024, bytes.length - end))
      end += length
      let start = 0
      const filled = bytes.subarray(0, end)
      for (let at = filled.indexOf(NEWLINE); at !== -1; at = filled.indexOf(NEWLINE, start)) {
        visit(JSON.parse(filled.toString('utf8', start, at)))
        start = at + 1
      }
      bytes.copyWithin(0, start, end)
      end -= start
    }
    closeSync(fd)
  }
}
