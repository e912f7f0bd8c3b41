// Which session or subagent an id means.

import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { transcriptText } from '../../lib/free-functions.js'
import {
  findSidechain,
  findTranscript,
  listSidechains,
  openContext,
} from '../../lib/store/index.js'
import { line } from '../helpers/lines.js'
import { temporaryFolder } from '../helpers/temporary.js'

function newStore(t: TestContext, files: Record<string, Buffer | string>) {
  const root = temporaryFolder(t)
  for (const folder of ['.transcripts', '.sidechains']) mkdirSync(join(root, folder))
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content)
  return { root, home: root }
}

const said = line('user', { payload: { content: 'hello' } })

test('an id is exact after its normalization, and the beginning of one finds nothing', (t) => {
  const store = newStore(t, {
    '.transcripts/user-12.jsonl': said,
    '.transcripts/caf%C3%A9.jsonl': said,
  })
  const found = (id: string) => basename(findTranscript(openContext(store), id))
  for (const id of ['user-12', ' user-12 ', 'session:user-12'])
    expect(found(id)).toBe('user-12.jsonl')
  for (const id of ['caf\u00e9', 'cafe\u0301']) expect(found(id)).toBe('caf%C3%A9.jsonl')
  for (const id of ['user-1', 'user', 'session:user-1', 'User-12', 'user-123']) {
    expect(() => found(id)).toThrow(expect.objectContaining({ code: 'ERR_NOT_FOUND' }))
  }
})

test('the task of a subagent is exact, too', (t) => {
  const header = (task_id: string) => line('sidechain_header', { payload: { task_id } })
  const store = newStore(t, {
    '.sidechains/task-1.jsonl': header('task-1'),
    '.sidechains/task-12.jsonl': header('task-12'),
    '.sidechains/empty.jsonl': '',
  })
  mkdirSync(join(store.root, '.sidechains', 'folder.jsonl'))
  expect(findSidechain(openContext(store), 'task-1').taskId).toBe('task-1')
  expect(() => findSidechain(openContext(store), 'task')).toThrow(
    expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
  )
  const { sidechains, skipped } = listSidechains(openContext(store))
  expect(sidechains.map(({ taskId }) => taskId)).toEqual(['task-1', 'task-12'])
  expect(skipped.map(({ path }) => path)).toContain(join(store.root, '.sidechains', 'folder.jsonl'))
})

test('a session without messages has no text', async (t) => {
  const store = newStore(t, {
    '.transcripts/quiet.jsonl': line('turn_end', { payload: {} }),
    '.transcripts/loud.jsonl': Buffer.concat([said, Buffer.from('{"type":"user"\n')]),
  })
  await expect(transcriptText('quiet', store)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  expect(await transcriptText('loud', store)).toMatchObject({
    sessionKey: 'loud',
    content: 'User: hello',
  })
})
