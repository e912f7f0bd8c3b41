// Finding a session by its id does not depend on the number of sessions.

import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findTranscript, openContext } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { Transcript } from './catalog/catalog-transcript.js'

test('finds a session, or none, without listing the folder of transcripts', (t) => {
  const root = temporaryFolder(t)
  for (const id of ['deploy', 'deploy-2', 'restore']) new Transcript(id, 0).say('hi').save(root)
  const transcripts = join(root, '.transcripts')
  symlinkSync(join(root, 'gone'), join(transcripts, 'lost.jsonl'))
  const listed: string[] = []
  const counting = ((path: string) => {
    listed.push(path)
    return readdirSync(path)
  }) as typeof readdirSync
  const store = openContext({ root, environment: { fs: { readdirSync: counting } } })
  expect(findTranscript(store, 'deploy')).toBe(join(transcripts, 'deploy.jsonl'))
  expect(findTranscript(store, 'lost')).toBe(join(transcripts, 'lost.jsonl'))
  expect(() => findTranscript(store, 'rest')).toThrow(/No session "rest"/)
  expect(listed).toEqual([])
})
