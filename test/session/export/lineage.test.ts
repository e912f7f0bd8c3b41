// An export of a resumed session holds what it continues.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createSession,
  exportSession,
  importExported,
  resumeSession,
} from '../../../lib/free-functions.js'
import { runWell } from '../../cli/command-line.js'
import { collect } from '../../helpers/collect.js'
import { release010 } from '../../helpers/release-0.1.0.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { type Context, talk } from '../talking.js'

/** a → b → c; a and b go on afterwards, and b left a branch. */
async function lineage(t: Context) {
  const root = temporaryFolder(t)
  const a = await createSession({ root, id: 'a' })
  await talk(a, 1, 2)
  await a.compact({ summary: 'of a', keepFrom: 'm2' })
  await a.release()
  const { session: b } = await resumeSession({ root, id: 'a', newId: 'b' })
  await talk(b!, 3, 6)
  await b!.rewind({ to: 'm4' })
  await talk(b!, 7, 7)
  await b!.release()
  const { session: c } = await resumeSession({ root, id: 'b', newId: 'c' })
  await talk(c!, 8, 9)
  await c!.close()
  for (const id of ['a', 'b']) {
    const { session } = await resumeSession({ root, id, mode: 'append', quiet: true })
    await session!.append({ type: 'user', payload: { content: `later in ${id}` } })
    await session!.close()
  }
  return root
}

const numbersIn = (text: string) =>
  [...text.matchAll(/(\d) x{20}/g)].map(([, number]) => Number(number))

// Requirement: 18-7
test.for(['markdown', 'text'] as const)(
  '%s shows the conversation from its beginning',
  async (format, t) => {
    const root = await lineage(t)
    const text = (await collect(exportSession('c', { root, format }))).join('')
    // The title at the top is the first prompt of the session itself.
    expect(numbersIn(text)).toEqual([9, 1, 2, 3, 4, 7, 8, 9])
    expect(text).not.toContain('later in')
    const titles = ['Session a', 'Session b', 'Session c'].map((title) => text.lastIndexOf(title))
    expect(titles.every((at) => at !== -1)).toBe(true)
    expect(titles).toEqual(titles.toSorted((one, other) => one - other))
    // A session without ancestors needs no heading.
    const own = (await collect(exportSession('a', { root, format }))).join('')
    expect(numbersIn(own)).toEqual([1, 1, 2])
    expect(own).not.toContain('Session a ══')
  },
)

// Requirement: 18-7
test('jsonl holds every event of all files, and an import makes equal sessions', async (t) => {
  const root = await lineage(t)
  const text = (await collect(exportSession('c', { root }))).join('')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0].payload).toMatchObject({ export: 2, session_id: 'c' })
  const logs = lines.filter(({ type }) => type === 'export.log').map(({ payload }) => payload)
  expect(logs).toEqual([
    { channel: 'ancestor', name: 'a' },
    { channel: 'ancestor', name: 'b' },
    { channel: 'transcript', name: 'c' },
  ])
  // Also what b left, but nothing that was said in a and b afterwards.
  expect(numbersIn(text)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(text).not.toContain('later in')

  const folder = temporaryFolder(t)
  const file = join(folder, 'c.export.jsonl')
  writeFileSync(file, text)
  const other = temporaryFolder(t)
  const imported = await importExported(file, { root: other })
  expect(imported).toMatchObject({ sessionId: 'c', sidechains: 0, duplicate: false })
  const seen = async (where: string, id: string) => {
    const { messages, degraded } = await resumeSession({ root: where, id, mode: 'inspect' })
    return { degraded, uuids: messages.map(({ uuid }) => uuid) }
  }
  expect(await seen(other, 'c')).toEqual(await seen(root, 'c'))
  expect((await seen(other, 'c')).uuids.slice(1)).toEqual(['m2', 'm3', 'm4', 'm7', 'm8', 'm9'])
  expect(await importExported(file, { root: other })).toMatchObject({ duplicate: true })
  // Where the ancestors went on, they hold all of it already.
  const copy = await importExported(file, { root, newId: 'copy' })
  expect(copy.duplicate).toBe(false)
  expect(await seen(root, 'copy')).toEqual(await seen(root, 'c'))
})

// Requirement: 18-7
test('0.1.0 imports an export without ancestors, and says that it is too old for the other', async (t) => {
  const root = await lineage(t)
  const folder = temporaryFolder(t)
  const importOld = release010['importExported'] as (
    file: string,
    options: object,
  ) => Promise<object>
  const files: string[] = []
  for (const id of ['a', 'c']) {
    const file = join(folder, `${id}.jsonl`)
    writeFileSync(file, (await collect(exportSession(id, { root }))).join(''))
    files.push(file)
  }
  const other = temporaryFolder(t)
  await importOld(files[0]!, { root: other })
  const { messages } = await release010.resumeSession({ root: other, id: 'a', mode: 'inspect' })
  expect(messages.map(({ uuid }) => uuid).slice(1, 2)).toEqual(['m2'])
  await expect(importOld(files[1]!, { root: other })).rejects.toMatchObject({
    code: 'ERR_FORMAT_TOO_NEW',
  })
})

// Requirement: 18-7
test('show --history and --text begin in the first session; --raw is this file', async (t) => {
  const root = await lineage(t)
  const place = { root, home: root }
  for (const view of ['--history', '--text']) {
    expect(numbersIn(await runWell(['show', 'c', view], place)), view).toEqual([
      1, 2, 3, 4, 7, 8, 9,
    ])
  }
  expect(numbersIn(await runWell(['show', 'c', '--raw'], place))).toEqual([8, 9])
  const json = await runWell(['show', 'c', '--history', '--json'], place)
  const types = json
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).type)
  expect(types).toEqual([
    ...['user', 'assistant', 'summary', 'compaction_boundary'],
    ...['user', 'assistant', 'rewind', 'user', 'assistant', 'user'],
  ])
})
