// How much of a transcript a listing reads: the first 4 KiB, the last 64 KiB, and nothing twice.

import * as fs from 'node:fs'
import { expect, test, vi } from 'vitest'
import { digestTranscript, listSidechains } from '../../lib/store/index.js'
import { line, time } from '../helpers/lines.js'
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

test('of a subagent, too, only the two ends are read; of a stranger, only the first', (t) => {
  const root = temporaryFolder(t)
  const folder = `${root}/.sidechains`
  fs.mkdirSync(folder)
  const sidechain = (task_id: string, parent_session_id: string) => {
    const start_ts = time(0)
    const about = { format: 1, task_id, parent_session_id, parent_uuid: null, depth: 1, start_ts }
    const said = { content: 'x'.repeat(300_000) }
    const end = { end_ts: time(1), completion_status: 'timeout', summary: 'Late.' }
    const lines = [
      line('sidechain_header', { uuid: 'h', payload: about }),
      line('assistant', { uuid: 'a', prev_uuid: 'h', payload: said }),
      line('sidechain_terminator', { uuid: 'z', payload: end }),
    ]
    fs.writeFileSync(`${folder}/${task_id}.jsonl`, Buffer.concat(lines))
  }
  sidechain('mine', 's')
  sidechain('other', 'another')
  const position = fs.statSync(`${folder}/mine.jsonl`).size - 65_536
  reads.length = 0
  expect(listSidechains({ root, session: 's' }).sidechains).toMatchObject([
    { task_id: 'mine', status: 'timeout', summary: 'Late.' },
  ])
  expect(reads).toEqual([
    { length: 4096, position: 0 },
    { length: 4096, position: 0 },
    { length: 4096, position: 0 },
    { length: 65_536, position },
  ])
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
