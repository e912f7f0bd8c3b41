// The prompt history: its end read back, and a prompt recorded by a process that does nothing else.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { compareTimes, compareVariants, inRandomOrder } from '../harness.mjs'
import { BINARY, LIBRARY, loadFormat, loadSessions } from '../library.mjs'
import { timeProcess } from '../processes.mjs'

const MEGABYTE = 1_000_000
const ROLLOVER_BYTES = 10 * MEGABYTE
const WANTED = 50

export const historyCases = [
  {
    name: 'history-50',
    durability: 'reads only',
    rows: [
      { against: '1 GB in one file, to 1 MB', unit: '× time', target: { most: 2 } },
      { against: '1 GB in rotated files, to 1 MB', unit: '× time', target: { most: 2 } },
    ],
    async measure({ folder, isQuick }) {
      const large = (isQuick ? 100 : 1000) * MEGABYTE
      const one = await compareHomes(folder, { large, isQuick, make: makeOneFile })
      const rotated = await compareHomes(folder, { large, isQuick, make: makeRotated })
      return [one, rotated]
    },
  },
  {
    name: 'history-add',
    durability: 'turn',
    rows: [
      { against: 'node -e appendFileSync', unit: '× time', target: { most: 2 } },
      { against: 'by the library, to the same', unit: '× time' },
    ],
    async measure({ folder, isQuick }) {
      const home = join(folder, 'home')
      const path = join(folder, 'plain.jsonl')
      const plain = `require('fs').appendFileSync(${JSON.stringify(path)}, JSON.stringify({
        ts: new Date().toISOString(), prompt: 'hello', session_id: 's' }) + '\\n')`
      const library = `import { append_history } from ${JSON.stringify(LIBRARY.href)}
        await append_history('hello', 's', { home: ${JSON.stringify(home)} })`
      const ways = {
        plain: ['-e', plain],
        plainAgain: ['-e', plain],
        add: [BINARY, 'history', 'add', 'hello', '--session', 's', '--home', home],
        library: ['--input-type=module', '-e', library],
      }
      const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
      await inRandomOrder(Object.keys(ways), isQuick ? 8 : 40, (name) => {
        times[name].push(timeProcess(ways[name]))
      })
      return ['add', 'library'].map((name) =>
        asTimes({ ours: times[name], baseline: times.plain, again: times.plainAgain }),
      )
    },
  },
]

async function compareHomes(folder, { large, isQuick, make }) {
  const bytes = await chunkOfLines()
  const homes = {
    large: join(folder, `large-${make.name}`),
    small: join(folder, `small-${make.name}`),
  }
  make(homes.large, large, bytes)
  make(homes.small, MEGABYTE, bytes)
  const variants = { ours: newestOf(homes.large), baseline: newestOf(homes.small) }
  const settings = { folder, slice: 5, rounds: isQuick ? 40 : 200 }
  const compared = await compareVariants(variants, settings)
  return { ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }
}

function asTimes(times) {
  const compared = compareTimes(times)
  return { ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }
}

/** About a megabyte of prompts as our writer spells them. */
async function chunkOfLines() {
  const { LineEncoder } = await loadFormat()
  const encoder = new LineEncoder()
  for (let index = 0; encoder.byteLength < MEGABYTE; index++) {
    const prompt = `${index} `.padEnd(20 + (index % 150), 'how do I rename the config key ')
    const ts = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
    encoder.addBare(JSON.stringify({ ts, prompt, session_id: 'demo', project: '/home/ada/app' }))
  }
  return Buffer.from(encoder.bytes({ isolate: false }))
}

function makeOneFile(home, size, bytes) {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  fill(join(home, 'history.jsonl'), size, bytes)
}

/** The live file has half of what is wanted, so the one before it is read as well. */
function makeRotated(home, size, bytes) {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  let end = 0
  for (let line = 0; line < WANTED / 2; line++) end = bytes.indexOf(10, end) + 1
  fill(join(home, 'history.jsonl'), end, bytes.subarray(0, end))
  for (let number = 1; (number - 1) * ROLLOVER_BYTES < size; number++) {
    fill(join(home, `history.jsonl.${number}`), Math.min(size, ROLLOVER_BYTES), bytes)
  }
}

function fill(path, size, bytes) {
  const fd = openSync(path, 'wx', 0o600)
  for (let written = 0; written < size; ) written += writeSync(fd, bytes)
  closeSync(fd)
}

function newestOf(home) {
  return {
    async open() {
      const { read_history } = await loadSessions()
      return {
        async run(count) {
          for (let done = 0; done < count; done++) {
            const entries = await read_history({ home, limit: WANTED })
            if (entries.length !== WANTED) throw new Error(`${entries.length} prompts were found`)
          }
        },
        close() {},
      }
    },
  }
}
