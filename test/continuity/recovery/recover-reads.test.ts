// What a process that has just started opens to recover: one shard, however many there are.

import fs from 'node:fs'
import { expect, test } from 'vitest'
import { recover } from '../../../lib/continuity/index.js'
import { openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { checkpointLine, clock, saveShard } from '../../store/checkpoints/checkpoint-lines.js'

test('recovery of a project opens its shard and no other file', (t) => {
  const root = temporaryFolder(t)
  const shards = Array.from({ length: 50 }, (_, number) => {
    const project = `/work/app-${number}`
    return saveShard(root, project, [checkpointLine({ number, project, session: `s${number}` })])
  })
  const opened: string[] = []
  const openSync = (path: fs.PathLike, flags: fs.OpenMode, mode?: fs.Mode | null) => {
    const fd = fs.openSync(path, flags, mode)
    opened.push(String(path))
    return fd
  }
  const store = openContext({ root, environment: { ...clock.environment, fs: { openSync } } })
  const recovery = recover(store, { project: '/work/app-7', sessionKey: 'new' })
  expect(recovery?.checkpoint.session_key).toBe('s7')
  expect(opened).toEqual([shards[7]])
})
