// A file that is not there, not yet or not any more, and what is left of following it.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { Follower } from '../../../lib/log/follow/follower.js'
import { followLog } from '../../../lib/log/index.js'
import { bareLine, line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')
const said = (uuid: string) => line('user', { uuid, payload: { content: uuid.repeat(30) } })

async function lookOf(follower: Follower): Promise<string[]> {
  const found: string[] = []
  for await (const entry of follower.readNew()) {
    found.push(entry.kind === 'event' ? entry.event.uuid : entry.kind)
  }
  return found
}

test('a file that was away for a look is read anew, even where it is the very same', async () => {
  const path = newPath()
  const follower = new Follower(path, {
    start: { byte_offset: 0 },
    bare: false,
    env: systemEnvironment,
  })
  writeFileSync(path, said('a'))
  expect(await lookOf(follower)).toEqual(['a'])
  renameSync(path, `${path}.away`)
  expect(await lookOf(follower)).toEqual([])
  renameSync(`${path}.away`, path)
  expect(await lookOf(follower)).toEqual(['replaced', 'a'])
})

test('a file that was never there before is not one that came back', async () => {
  const path = newPath()
  const { length } = said('a')
  const follower = new Follower(path, {
    start: { byte_offset: length },
    bare: false,
    env: systemEnvironment,
  })
  expect(await lookOf(follower)).toEqual([])
  writeFileSync(path, Buffer.concat([said('a'), said('b')]))
  expect(await lookOf(follower)).toEqual(['b'])
})

test('lines without an envelope verify each other while they are followed', async () => {
  const path = newPath()
  const changed = bareLine({ n: 1 })
  changed.write('2', changed.indexOf('1'))
  writeFileSync(path, Buffer.concat([changed, bareLine({ n: 3 })]))
  const follower = new Follower(path, {
    start: { byte_offset: 0 },
    bare: true,
    env: systemEnvironment,
  })
  expect(await lookOf(follower)).toEqual(['damage', undefined])
})

test('a loop that stops following leaves no watcher', async () => {
  const path = newPath()
  writeFileSync(path, said('a'))
  const watchers = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length
  const before = watchers()
  const abort = new AbortController()
  const following = (async () => {
    for await (const { kind } of followLog(path, { pollMs: 5, signal: abort.signal })) {
      expect(kind).toBe('event')
    }
  })()
  await vi.waitFor(() => expect(watchers()).toBeGreaterThan(before), { timeout: 5000 })
  abort.abort()
  await following
  // A handle is gone a moment after it is closed.
  await vi.waitFor(() => expect(watchers()).toBe(before))
})
