// How much of a transcript a listing reads: the first 4 KiB and the last 64 KiB, each once, and more of
// the start only where the first prompt is not in it.

import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { listSidechains, openContext, readSessionInfo } from '../../../lib/store/index.js'
import { line, time } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'

/** A store that counts what it reads. */
function countingStore(root?: string) {
  const reads: { length: number; position: number }[] = []
  const readSync = (fd: number, buffer: Buffer, at: number, length: number, position: number) => {
    reads.push({ length, position })
    return fs.readSync(fd, buffer, at, length, position)
  }
  const files = { readSync: readSync as typeof fs.readSync }
  return { reads, store: openContext({ root, environment: { fs: files } }) }
}

function readsOf(path: string) {
  const { reads, store } = countingStore()
  expect(readSessionInfo(store, path)).toHaveProperty('sessionId')
  return reads
}

test('reads the first 4 KiB and the last 64 KiB of a long transcript', (t) => {
  const session = new Transcript('s').say('Prompt').rename('T', 'user').replyAtLength(500_000)
  const path = session.save(temporaryFolder(t))
  const position = fs.statSync(path).size - 65_536
  expect(readsOf(path)).toEqual([
    { length: 4096, position: 0 },
    { length: 65_536, position },
  ])
})

test('reads the first 64 KiB where no prompt is in the first 4 KiB', (t) => {
  const session = new Transcript('s').replyAtLength(5_000).say('Prompt').replyAtLength(500_000)
  const path = session.save(temporaryFolder(t))
  expect(readsOf(path)).toEqual([
    { length: 4096, position: 0 },
    { length: 65_536, position: fs.statSync(path).size - 65_536 },
    { length: 65_536, position: 0 },
  ])
})

test('reads a short transcript once', (t) => {
  const path = new Transcript('s').say('Prompt').replyAtLength(60_000).save(temporaryFolder(t))
  expect(readsOf(path)).toEqual([{ length: fs.statSync(path).size, position: 0 }])
})

test('reads both ends of a subagent of the session, and only the start of others', (t) => {
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
  const { reads, store } = countingStore(root)
  expect(listSidechains(store, { session: 's' }).sidechains).toMatchObject([
    { taskId: 'mine', status: 'timeout', summary: 'Late.' },
  ])
  expect(reads).toEqual([
    { length: 4096, position: 0 },
    { length: 4096, position: 0 },
    { length: 4096, position: 0 },
    { length: 65_536, position },
  ])
})

test('a listing does not change bytes, dates or files', (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('s').say('Prompt').raw('{"torn').save(root)
  const before = { ...fs.statSync(path), atime: 0, atimeMs: 0, bytes: fs.readFileSync(path) }
  readSessionInfo(openContext(), path)
  const after = { ...fs.statSync(path), atime: 0, atimeMs: 0, bytes: fs.readFileSync(path) }
  expect(after).toEqual(before)
  expect(fs.readdirSync(`${root}/.transcripts`)).toEqual(['s.jsonl'])
})
