// Events that are known by their envelope, and read again from their place: the same as those that
// were read at once, for as long as the file says what it said.

import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { SessionEvent } from '../../../lib/format/index.js'
import { openLog, readLogSync } from '../../../lib/log/index.js'
import { materialize, readOffsets } from '../../../lib/log/read/offset-event.js'
import { temporaryFolder } from '../../helpers/temporary.js'

async function newLog(t: Parameters<typeof temporaryFolder>[0]) {
  const path = join(temporaryFolder(t), 'log.jsonl')
  const log = await openLog(path, { durability: 'none' })
  for (const content of ['one', 'two', 'six']) {
    await log.append({ type: 'user', payload: { content } })
  }
  await log.close()
  const distant = readOffsets(path, { to: log.size }, systemEnvironment).map((entry) => {
    if (entry.kind !== 'event') throw new Error(entry.reason)
    return entry.event
  })
  return { path, size: log.size, distant }
}

const eventsOf = (path: string) =>
  [...readLogSync(path)].flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []))

const spelledOut = ({ type, uuid, prev_uuid, ts, payload }: SessionEvent) => ({
  type,
  uuid,
  prev_uuid,
  ts,
  payload,
})

test('a distant event says what its line says, and once it is held a copy of it does, too', async (t) => {
  const { path, distant } = await newLog(t)
  const whole = eventsOf(path)
  expect(distant.map(spelledOut)).toEqual(whole.map(spelledOut))
  materialize([...distant, ...distant, ...whole])
  expect(distant.map((event) => ({ ...event }))).toEqual(whole.map(spelledOut))
})

test('a held event stays what it was, whatever becomes of the file', async (t) => {
  const { path, distant } = await newLog(t)
  materialize(distant)
  truncateSync(path, 0)
  expect(distant.map(({ payload }) => payload)).toEqual([
    { content: 'one' },
    { content: 'two' },
    { content: 'six' },
  ])
})

test.for([
  ['is cut off', (path: string) => truncateSync(path, 10)],
  ['was changed', (path: string) => change(path, 'six', 'xis')],
  ['holds another event there', (path: string) => writeFileSync(path, swapped(path))],
] as const)('of a line that %s nothing is handed out', async ([, spoil], t) => {
  const { path, distant } = await newLog(t)
  spoil(path)
  expect(distant.at(-1)).toMatchObject({ type: 'user', ts: '', payload: null })
})

test('yields damaged, foreign and later lines as every reader does', async (t) => {
  const { path, size } = await newLog(t)
  appendFileSync(path, '{"type":"user","uuid":"x","payload":{}}\nno JSON\n')
  const all = readFileSync(path).length
  const kinds = (to: number) =>
    readOffsets(path, { to }, systemEnvironment).map((entry) => entry.kind)
  expect(kinds(size)).toEqual(['event', 'event', 'event'])
  expect(kinds(all)).toEqual(['event', 'event', 'event', 'event', 'damage'])
  expect(readOffsets(path, { to: all }, systemEnvironment).slice(3)).toEqual(
    [...readLogSync(path)].slice(3),
  )
})

function change(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
}

/** The last two lines are of one length. */
function swapped(path: string): string {
  const [first, second, third] = readFileSync(path, 'utf8').split('\n')
  return `${first}\n${third}\n${second}\n`
}
