// Files that are made whole and then named: small files, forks, pruned shards. Whenever the power
// goes, the name leads to the old one or to the new one, and never to a part.

import { closeSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import { AtomicFile, copyLog, readLogSync, writeSmallFileAtomic } from '../../lib/log/index.js'
import { replaceLog } from '../../lib/log/internal.js'
import { line } from '../helpers/lines.js'
import { memoryFolder } from '../helpers/temporary.js'
import { type FolderState, folderStates, putFolder, statesAfterwards } from './folder-states.js'

const lines = ['a', 'b', 'c'].map((uuid) => line('note', { uuid, payload: { text: uuid } }))
const whole = Buffer.concat(lines)

function emptyFolder(t: Parameters<typeof memoryFolder>[0]): string {
  const folder = join(memoryFolder(t), 'own')
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** What the name leads to, in all the states. */
function contentsOf(states: readonly FolderState[], name: string): Set<string | undefined> {
  return new Set(states.map((state) => state.get(name)?.toString('utf8')))
}

test('a small file that is replaced is complete, in the old or the new version', async (t) => {
  const folder = emptyFolder(t)
  writeFileSync(join(folder, 'x.json'), 'old')
  const states = await folderStates(folder, () =>
    writeSmallFileAtomic(join(folder, 'x.json'), 'new text', systemEnvironment),
  )
  expect(states.length).toBeGreaterThan(5)
  expect(contentsOf(states, 'x.json')).toEqual(new Set(['old', 'new text']))
})

// The check would see it: this is how it is done without a sync.
test('the check finds a file that is renamed before it is synced', async (t) => {
  const folder = emptyFolder(t)
  writeFileSync(join(folder, 'x.json'), 'old')
  const states = await folderStates(folder, () => {
    const fd = openSync(join(folder, 'y.json'), 'wx')
    writeSync(fd, 'new text')
    closeSync(fd)
    renameSync(join(folder, 'y.json'), join(folder, 'x.json'))
  })
  expect(contentsOf(states, 'x.json').size).toBeGreaterThan(2)
})

test('a fork exists completely or not at all', async (t) => {
  const folder = emptyFolder(t)
  const from = join(folder, 'from.jsonl')
  writeFileSync(from, whole)
  const opening = line('note', { uuid: 'opening' })
  const states = await folderStates(folder, () => {
    copyLog(
      { from, to: join(folder, 'to.jsonl'), opening, end: whole.length, later: [] },
      systemEnvironment,
    )
  })
  const fork = Buffer.concat([opening, whole]).toString('utf8')
  expect(contentsOf(states, 'to.jsonl')).toEqual(new Set([undefined, fork]))
  expect(contentsOf(states, 'from.jsonl')).toEqual(new Set([whole.toString('utf8')]))
})

test('a log that is rewritten without some lines is complete, in the old or the new version', async (t) => {
  const folder = emptyFolder(t)
  const path = join(folder, 's.jsonl')
  writeFileSync(path, whole, { mode: 0o600 })
  const kept = { byte_offset: lines[0]!.length, length: lines[1]!.length - 1 }
  const states = await folderStates(folder, () =>
    replaceLog(path, { choose: () => [kept], beforeReplacing: async () => {} }),
  )
  const texts = [whole, lines[1]!].map((bytes) => bytes.toString('utf8'))
  expect(contentsOf(states, 's.jsonl')).toEqual(new Set(texts))
  for (const state of states) {
    putFolder(folder, state)
    const uuids = [...readLogSync(path)].map((entry) => entry.kind === 'event' && entry.event.uuid)
    expect(uuids).toContain('b')
  }
})

// A file has its name in the folder, so a name that was not synced may be the old one again.
const DONE: readonly { name: string; run(folder: string): unknown; left: Buffer }[] = [
  {
    name: 'a small file',
    run: (folder) => writeSmallFileAtomic(join(folder, 's.jsonl'), 'new text', systemEnvironment),
    left: Buffer.from('new text'),
  },
  {
    name: 'a file written in pieces',
    run(folder) {
      const file = new AtomicFile(join(folder, 's.jsonl'), systemEnvironment, { replace: true })
      file.write(lines[2]!)
      file.finish()
    },
    left: lines[2]!,
  },
  {
    name: 'a log without some lines',
    run(folder) {
      const kept = { byte_offset: 0, length: lines[0]!.length - 1 }
      const options = { choose: () => [kept], beforeReplacing: async () => {} }
      return replaceLog(join(folder, 's.jsonl'), options)
    },
    left: lines[0]!,
  },
]

test.for(DONE)(
  '$name that was replaced stays replaced after a power cut',
  async ({ run, left }, t) => {
    const folder = emptyFolder(t)
    writeFileSync(join(folder, 's.jsonl'), whole, { mode: 0o600 })
    const states = await statesAfterwards(folder, () => run(folder))
    expect(contentsOf(states, 's.jsonl')).toEqual(new Set([left.toString('utf8')]))
  },
)
