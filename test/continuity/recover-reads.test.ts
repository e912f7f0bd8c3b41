// What a process that has just started opens to recover: one shard, however many there are.

import type * as fs from 'node:fs'
import { expect, test, vi } from 'vitest'
import { recover } from '../../lib/continuity/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { checkpointLine, clock, saveShard } from '../store/checkpoint-lines.js'

const opened = vi.hoisted(() => [] as string[])

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>()
  const openSync = (path: fs.PathLike, ...rest: [fs.OpenMode]) => {
    const fd = original.openSync(path, ...rest)
    opened.push(String(path))
    return fd
  }
  return { ...original, openSync }
})

test('recovery of a project opens its shard and no other file', (t) => {
  const root = temporaryFolder(t)
  const shards = Array.from({ length: 50 }, (_, number) => {
    const project = `/work/app-${number}`
    return saveShard(root, project, [checkpointLine({ number, project, session: `s${number}` })])
  })
  opened.length = 0
  const recovery = recover({ root, ...clock, project: '/work/app-7', sessionKey: 'new' })
  expect(recovery?.checkpoint.session_key).toBe('s7')
  expect(opened).toEqual([shards[7]])
})
