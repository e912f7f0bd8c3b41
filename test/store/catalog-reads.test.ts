// How much of a transcript a listing reads: the first 4 KiB, the last 64 KiB, and nothing twice.

import * as fs from 'node:fs'
import { expect, test, vi } from 'vitest'
import { digestTranscript } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'

const reads = vi.hoisted(() => [] as { length: number; position: number }[])

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>()
  const readSync = (fd: number, buffer: Buffer, at: number, length: number, position: number) => {
    reads.push({ length, position })
    return original.readSync(fd, buffer, at, length, position)
  }
  return { ...original, readSync }
})

function readsOf(path: string): typeof reads {
  reads.length = 0
  expect(digestTranscript(path)).toHaveProperty('session_id')
  return [...reads]
}

test('a long transcript is read twice: its first 4 KiB and its last 64 KiB', (t) => {
  const session = new Transcript('s').say('Prompt').rename('T', 'user').replyAtLength(500_000)
  const path = session.save(temporaryFolder(t))
  const position = fs.statSync(path).size - 65_536
  expect(readsOf(path)).toEqual([
    { length: 4096, position: 0 },
    { length: 65_536, position },
  ])
})

test('a short transcript is read once', (t) => {
  const path = new Transcript('s').say('Prompt').replyAtLength(60_000).save(temporaryFolder(t))
  expect(readsOf(path)).toEqual([{ length: fs.statSync(path).size, position: 0 }])
})

test('looking changes nothing: no byte, no date, no file beside it', (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('s').say('Prompt').raw('{"torn').save(root)
  const before = { ...fs.statSync(path), atime: 0, atimeMs: 0, bytes: fs.readFileSync(path) }
  digestTranscript(path)
  const after = { ...fs.statSync(path), atime: 0, atimeMs: 0, bytes: fs.readFileSync(path) }
  expect(after).toEqual(before)
  expect(fs.readdirSync(`${root}/.transcripts`)).toEqual(['s.jsonl'])
})
