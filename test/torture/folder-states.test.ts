// Files that are made whole and then named: small files, forks, pruned shards. Whenever the power
// goes, the name leads to the old one or to the new one, and never to a part.

import { closeSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyLog, readLogSync, WholeFile, writeAtomically } from '../../lib/log/index.js'
import { replaceLog } from '../../lib/log/inside.js'
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

test('a small file that is replaced is the old one or the new one', async (t) => {
  const folder = emptyFolder(t)
  writeFileSync(join(folder, 'x.json'), 'old')
  const states = await folderStates(folder, () =>
    writeAtomically(join(folder, 'x.json'), 'new text'),
  )
  expect(states.length).toBeGreaterThan(5)
  expect(contentsOf(states, 'x.json')).toEqual(new Set(['old', 'new text']))
})

// The check would see it: this is how it is done without a sync.
test('a file that is renamed before it is synced is found out', async (t) => {
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

test('a fork is there whole or not at all', async (t) => {
  const folder = emptyFolder(t)
  const from = join(folder, 'from.jsonl')
  writeFileSync(from, whole)
  const opening = line('note', { uuid: 'opening' })
  const states = await folderStates(folder, () => {
    copyLog({ from, to: join(folder, 'to.jsonl'), opening, end: whole.length, later: [] })
  })
  const fork = Buffer.concat([opening, whole]).toString('utf8')
  expect(contentsOf(states, 'to.jsonl')).toEqual(new Set([undefined, fork]))
  expect(contentsOf(states, 'from.jsonl')).toEqual(new Set([whole.toString('utf8')]))
})

test('a log of which some lines are left out is the old one or the new one, and can be read', async (t) => {
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
    run: (folder) => writeAtomically(join(folder, 's.jsonl'), 'new text'),
    left: Buffer.from('new text'),
  },
  {
    name: 'a file written in pieces',
    run(folder) {
      const file = new WholeFile(join(folder, 's.jsonl'), { replace: true })
      file.write(lines[2]!)
      file.finish()
    },
    left: lines[2]!,
  },
  {
    name: 'a log of which some lines are left out',
    run(folder) {
      const kept = { byte_offset: 0, length: lines[0]!.length - 1 }
      const options = { choose: () => [kept], beforeReplacing: async () => {} }
      return replaceLog(join(folder, 's.jsonl'), options)
    },
    left: lines[0]!,
  },
]

test.for(DONE)(
  '$name that was replaced stays so when the power goes afterwards',
  async ({ run, left }, t) => {
    const folder = emptyFolder(t)
    writeFileSync(join(folder, 's.jsonl'), whole, { mode: 0o600 })
    const states = await statesAfterwards(folder, () => run(folder))
    expect(contentsOf(states, 's.jsonl')).toEqual(new Set([left.toString('utf8')]))
  },
)
