import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../lib/format/index.js'
import {
  examineStore,
  openContext,
  type StoreContext,
  verifyLog,
} from '../../../lib/store/index.js'
import { runs } from '../../helpers/effort.js'
import { id, line, time } from '../../helpers/lines.js'
import { type Random, seededRandom } from '../../helpers/random.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const WINDOW_BYTES = 4096

/** As the public API writes it: a header, then messages and off-chain events. */
function* healthyLog(random: Random): Generator<Buffer> {
  yield line('session_header', { uuid: id(0), payload: header() })
  // Both below and above the 68 KiB up to which doctor reads a whole file.
  const size = random.between(1, 100) * 1024
  let tip = id(0)
  let bytes = 0
  for (let number = 1; bytes < size; number++) {
    const isOnChain = random.below(8) > 0
    const content = textOf(random)
    const next = isOnChain
      ? line(number % 2 === 0 ? 'assistant' : 'user', {
          uuid: id(number),
          prev_uuid: tip,
          ts: time(number),
          payload: { content },
        })
      : line('session_meta', { uuid: id(number), ts: time(number), payload: { title: content } })
    if (isOnChain) tip = id(number)
    bytes += next.length
    yield next
  }
}

function header(): object {
  const lib = { name: 'jsonl-session', version: '1.0.0', capture: 'native' }
  return { format: 1, session_id: 'demo', start_ts: time(0), resumed_from: null, lib }
}

/** Much of it blanks, which a reader trims. */
function textOf(random: Random): string {
  const words = Array.from({ length: random.between(1, 40) }, () => {
    return 'x'.repeat(random.below(90)) + ' '.repeat(random.between(1, 60))
  })
  return words.join('')
}

function damage(log: Buffer, random: Random): Buffer {
  const at = random.below(log.length)
  switch (random.below(4)) {
    case 0:
      return log.subarray(0, at)
    case 1:
      return Buffer.concat([
        log.subarray(0, at),
        Buffer.from([random.below(256)]),
        log.subarray(at + 1),
      ])
    case 2:
      return Buffer.concat([log.subarray(0, at), Buffer.from('\nnot JSON\n'), log.subarray(at)])
    default:
      return Buffer.concat([log.subarray(0, at), log.subarray(Math.min(log.length, at + 700))])
  }
}

function newStore(root: string): { store: StoreContext; path: string } {
  const store = openContext({ root, home: root })
  mkdirSync(store.layout.transcripts, { recursive: true, mode: 0o700 })
  return { store, path: join(store.layout.transcripts, 'demo.jsonl') }
}

function serious(findings: readonly Diagnostic[]): string[] {
  return findings
    .filter(({ severity }) => severity !== 'info')
    .map(({ code, byte_offset }) => `${code} at ${byte_offset}`)
}

async function damageFound(store: StoreContext, deep: boolean): Promise<string[]> {
  const { findings } = await examineStore(store, { deep })
  return findings.flatMap(({ diagnostics = [] }) => serious(diagnostics))
}

test('doctor and verify agree on random stores, healthy and damaged', async (t) => {
  const random = seededRandom(t)
  const { store, path } = newStore(temporaryFolder(t))
  for (let round = 0; round < runs(1000); round++) {
    const healthy = Buffer.concat([...healthyLog(random)])
    const isDamaged = random.below(3) === 0
    writeFileSync(path, isDamaged ? damage(healthy, random) : healthy, { mode: 0o600 })
    const verified = serious((await verifyLog(store, path)).findings)
    const short = await damageFound(store, false)
    if (isDamaged) {
      expect(await damageFound(store, true)).toEqual(verified)
      // It reads less, so it may find less, but nothing else.
      expect(verified).toEqual(expect.arrayContaining(short))
    } else {
      expect({ verified, short }).toEqual({ verified: [], short: [] })
    }
    rmSync(path)
  }
})

test('doctor does not take a line that its window cuts after a blank for a torn one', async (t) => {
  const { store, path } = newStore(temporaryFolder(t))
  const first = line('session_header', { uuid: id(0), payload: header() })
  const content = ' '.repeat(80 * 1024)
  const second = line('user', { uuid: id(1), prev_uuid: id(0), payload: { content } })
  const log = Buffer.concat([first, second])
  expect(log.toString('latin1', WINDOW_BYTES - 1, WINDOW_BYTES)).toBe(' ')
  writeFileSync(path, log, { mode: 0o600 })
  expect(await examineStore(store)).toMatchObject({ healthy: true })
})
