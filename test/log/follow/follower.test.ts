// One look after the other at a file that others change: what is handed out, and from which file.

import { appendFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { parseCursor } from '../../../lib/log/cursor.js'
import { Follower } from '../../../lib/log/follow/follower.js'
import { line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const said = (uuid: string) => line('user', { uuid, payload: { content: uuid.repeat(30) } })

function following(start: ConstructorParameters<typeof Follower>[1]['start'] = { byte_offset: 0 }) {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  const follower = new Follower(path, { start, bare: false, env: systemEnvironment })
  return { path, look: () => lookOf(follower) }
}

/** Uuids, `replaced` or the reason of damage; the last cursor. */
async function lookOf(follower: Follower): Promise<string[]> {
  const found: string[] = []
  for await (const entry of follower.readNew()) {
    if (entry.kind === 'event') found.push(entry.event.uuid)
    else found.push(entry.kind === 'damage' ? entry.reason : entry.kind)
  }
  return found
}

test('what was added since the last look is handed out, once', async () => {
  const { path, look } = following()
  expect(await look()).toEqual([])
  writeFileSync(path, said('a'))
  expect(await look()).toEqual(['a'])
  expect(await look()).toEqual([])
  appendFileSync(path, Buffer.concat([said('b'), said('c'), Buffer.from('half')]))
  expect(await look()).toEqual(['b', 'c'])
  appendFileSync(path, ' a line\n')
  expect(await look()).toEqual(['bad_line'])
})

test('a file that was cut is read from its start', async () => {
  const { path, look } = following()
  writeFileSync(path, Buffer.concat([said('a'), said('b')]))
  expect(await look()).toEqual(['a', 'b'])
  writeFileSync(path, said('c'))
  expect(await look()).toEqual(['replaced', 'c'])
})

test('a file as long as before with other bytes is another one', async () => {
  const { path, look } = following()
  writeFileSync(path, Buffer.concat([said('a'), said('b')]))
  expect(await look()).toEqual(['a', 'b'])
  writeFileSync(path, Buffer.concat([said('c'), said('d'), said('e')]))
  expect(await look()).toEqual(['replaced', 'c', 'd', 'e'])
})

test('a file that is gone and back is another one, also where it says the same', async () => {
  const { path, look } = following()
  writeFileSync(path, said('a'))
  expect(await look()).toEqual(['a'])
  rmSync(path)
  expect(await look()).toEqual([])
  writeFileSync(path, said('a'))
  expect(await look()).toEqual(['replaced', 'a'])
  expect(await look()).toEqual([])
})

test('another file that begins as the one before is another one all the same', async () => {
  const { path, look } = following()
  writeFileSync(path, said('a'))
  expect(await look()).toEqual(['a'])
  writeFileSync(`${path}.new`, Buffer.concat([said('a'), said('b')]))
  renameSync(`${path}.new`, path)
  expect(await look()).toEqual(['replaced', 'a', 'b'])
})

test('yields what was added before a rotation before the lines of the new file', async () => {
  const { path, look } = following()
  writeFileSync(path, said('a'))
  expect(await look()).toEqual(['a'])
  appendFileSync(path, said('b'))
  renameSync(path, `${path}.1`)
  writeFileSync(path, said('c'))
  expect(await look()).toEqual(['b', 'replaced', 'c'])
})

test('a rotated log that brought nothing, or is another one, is not read', async () => {
  const same = following()
  writeFileSync(same.path, said('a'))
  expect(await same.look()).toEqual(['a'])
  renameSync(same.path, `${same.path}.1`)
  writeFileSync(same.path, said('c'))
  expect(await same.look()).toEqual(['replaced', 'c'])
  const other = following()
  writeFileSync(other.path, said('a'))
  expect(await other.look()).toEqual(['a'])
  rmSync(other.path)
  writeFileSync(`${other.path}.1`, Buffer.concat([said('x'), said('y'), said('z')]))
  writeFileSync(`${other.path}.new`, said('c'))
  renameSync(`${other.path}.new`, other.path)
  expect(await other.look()).toEqual(['replaced', 'c'])
})

test('a cursor holds in its file and not in another; an offset has nothing to compare', async () => {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  writeFileSync(path, said('a'))
  const first = new Follower(path, {
    start: { byte_offset: 0 },
    bare: false,
    env: systemEnvironment,
  })
  let cursor = ''
  for await (const entry of first.readNew()) cursor = entry.cursor
  appendFileSync(path, said('b'))
  const from = (start: ConstructorParameters<typeof Follower>[1]['start']) =>
    lookOf(new Follower(path, { start, bare: false, env: systemEnvironment }))
  const { length } = said('a')
  expect(await from(parseCursor(cursor))).toEqual(['b'])
  expect(await from({ byte_offset: length })).toEqual(['b'])
  expect(await from({ byte_offset: 0 })).toEqual(['a', 'b'])
  writeFileSync(path, Buffer.concat([said('x'), said('y')]))
  expect(await from(parseCursor(cursor))).toEqual(['replaced', 'x', 'y'])
  expect(await from({ byte_offset: length })).toEqual(['y'])
})

test('an offset is compared from the first look on', async () => {
  const { length } = said('a')
  const { path, look } = following({ byte_offset: length })
  writeFileSync(path, said('a'))
  expect(await look()).toEqual([])
  writeFileSync(path, Buffer.concat([said('x'), said('y')]))
  expect(await look()).toEqual(['replaced', 'x', 'y'])
})

test.runIf(process.platform === 'linux')('no look leaves a file open', async () => {
  const openCount = () => readdirSync('/proc/self/fd').length
  const { path, look } = following()
  const before = openCount()
  writeFileSync(path, said('a'))
  await look()
  await look()
  appendFileSync(path, said('b'))
  renameSync(path, `${path}.1`)
  writeFileSync(path, said('c'))
  await look()
  expect(openCount()).toBe(before)
})

test('line numbers continue from check to check, and restart with another file', async () => {
  const path = join(temporaryFolder({ onTestFinished }), 'log.jsonl')
  const follower = new Follower(path, {
    start: { byte_offset: 0 },
    bare: false,
    env: systemEnvironment,
  })
  const numbers = async () => {
    const found: unknown[] = []
    for await (const entry of follower.readNew()) {
      if (entry.kind !== 'replaced') found.push(entry.line_number)
    }
    return found
  }
  writeFileSync(path, Buffer.concat([said('a'), Buffer.from('\n'), said('b')]))
  expect(await numbers()).toEqual([1, 3])
  appendFileSync(path, said('c'))
  expect(await numbers()).toEqual([4])
  writeFileSync(path, said('d'))
  expect(await numbers()).toEqual([1])
})
