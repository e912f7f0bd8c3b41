// A compaction is two lines, and a process may die at any byte of them. A resume shows the
// conversation either as it was before or as it was compacted.

import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSession, resumeSession } from '../../lib/free-functions.js'

import { memoryFolder } from '../helpers/temporary.js'
import { watchFiles } from '../helpers/watched-files.js'

// Requirement: T17
test('a compaction that is cut at any byte takes effect completely or not at all', async (t) => {
  const folder = memoryFolder(t)
  const options = { root: folder, home: folder, project: '/tmp/project-of-a-cut', id: 's' }
  const writes: string[][] = []
  const unwatch = watchFiles(folder, {
    after: ({ name, path, bytes }, written) => {
      if (name !== 'writeSync' || !path.endsWith('/s.jsonl')) return
      writes.push(typesIn(bytes!.subarray(0, Number(written))))
    },
  })
  const session = await createSession(options)
  for (const content of ['one', 'two', 'three', 'four']) {
    await session.append({ type: 'user', payload: { content } })
  }
  const before = textsOf(session.messages().messages)
  const { path } = session
  const keepFrom = session.messages().messages.at(-1)!.uuid
  await session.compact({ summary: 'So far.', keepFrom })
  unwatch()
  expect(writes, 'both lines are one write').toContainEqual(['summary', 'compaction_boundary'])
  const after = textsOf(session.messages().messages)
  await session.release()
  expect(after.length).toBeLessThan(before.length)

  const whole = readFileSync(path)
  const start = whole.indexOf('{"type":"summary"')
  for (let cut = start; cut <= whole.length; cut++) {
    writeFileSync(path, whole.subarray(0, cut))
    const { messages } = await resumeSession({ ...options, mode: 'inspect' })
    // The last newline alone may be missing.
    const expected = cut >= whole.length - 1 ? after : before
    expect(textsOf(messages), `cut ${whole.length - cut} bytes before its end`).toEqual(expected)
  }
})

function typesIn(bytes: Uint8Array): string[] {
  const lines = Buffer.from(bytes).toString('utf8').trimEnd().split('\n')
  return lines.map((line) => (JSON.parse(line) as { type: string }).type)
}

function textsOf(messages: readonly { payload: unknown }[]): unknown[] {
  return messages.map(({ payload }) => payload)
}
