// What it takes to find a session by its id, in a store of however many.

import type * as fs from 'node:fs'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findTranscript } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { Transcript } from './catalog-transcript.js'

const listed = vi.hoisted(() => [] as string[])

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>()
  const readdirSync = (path: fs.PathLike) => {
    listed.push(String(path))
    return original.readdirSync(path)
  }
  return { ...original, readdirSync }
})

test('a session is found by its whole id without a look at the others, by less only with one', (t) => {
  const root = temporaryFolder(t)
  for (const id of ['deploy', 'deploy-2', 'restore']) new Transcript(id, 0).say('hi').save(root)
  const transcripts = join(root, '.transcripts')
  symlinkSync(join(root, 'gone'), join(transcripts, 'lost.jsonl'))
  listed.length = 0
  expect(findTranscript('deploy', { root })).toBe(join(transcripts, 'deploy.jsonl'))
  expect(listed).toEqual([])
  expect(findTranscript('rest', { root })).toBe(join(transcripts, 'restore.jsonl'))
  expect(findTranscript('lost', { root })).toBe(join(transcripts, 'lost.jsonl'))
  expect(listed).toEqual([transcripts, transcripts])
})
