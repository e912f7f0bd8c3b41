// Which session or subagent is meant by the beginning of its name.

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

test('four letters are enough where they are the beginning of one session, and not of two', (t) => {
  const store = newStore(t, {
    '.transcripts/alpha-1.jsonl': said,
    '.transcripts/alpha-2.jsonl': said,
    '.transcripts/beta-1.jsonl': said,
  })
  expect(findTranscript(openContext(store), 'beta')).toBe(
    join(store.root, '.transcripts', 'beta-1.jsonl'),
  )
  expect(findTranscript(openContext(store), 'alpha-1')).toBe(
    join(store.root, '.transcripts', 'alpha-1.jsonl'),
  )
  const ambiguous = { code: 'ERR_AMBIGUOUS', message: expect.stringContaining('alpha-1, alpha-2') }
  expect(() => findTranscript(openContext(store), 'alph')).toThrow(
    expect.objectContaining(ambiguous),
  )
  expect(() => findTranscript(openContext(store), 'bet')).toThrow(
    expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
  )
})

test('the beginning of a session is counted in letters of its id, and may end anywhere in it', (t) => {
  const store = newStore(t, {
    '.transcripts/beta-1.jsonl': said,
    '.transcripts/2026.01.02.jsonl': said,
    '.transcripts/com1-port.jsonl': said,
  })
  for (const short of ['session:bet', '  bet  ']) {
    expect(() => findTranscript(openContext(store), short)).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_FOUND' }),
    )
  }
  const found = (begun: string) => basename(findTranscript(openContext(store), begun))
  expect(found('session:beta')).toBe('beta-1.jsonl')
  expect(found('2026.')).toBe('2026.01.02.jsonl')
  expect(found('com1')).toBe('com1-port.jsonl')
})

test('of subagents, too; one of an unknown session is named as such', (t) => {
  const header = (task_id: string) => line('sidechain_header', { payload: { task_id } })
  const store = newStore(t, {
    '.sidechains/task-1.jsonl': header('task-1'),
    '.sidechains/task-2.jsonl': header('task-2'),
    '.sidechains/empty.jsonl': '',
  })
  mkdirSync(join(store.root, '.sidechains', 'folder.jsonl'))
  const message = expect.stringContaining('task-1 of no session, task-2 of no session')
  expect(() => findSidechain(openContext(store), 'task')).toThrow(
    expect.objectContaining({ code: 'ERR_AMBIGUOUS', message }),
  )
  const { sidechains, skipped } = listSidechains(openContext(store))
  expect(sidechains.map(({ taskId }) => taskId)).toEqual(['task-1', 'task-2'])
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
