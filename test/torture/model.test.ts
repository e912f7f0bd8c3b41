// Random commands, two handles, partial last lines: a session always shows what a simple model shows.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runs } from '../helpers/effort.js'
import { seededRandom } from '../helpers/random.js'
import { memoryFolder } from '../helpers/temporary.js'
import { KNOWN_SEEDS } from './known-seeds.js'
import { runModel } from './model.js'

// Requirement: 003-64
test('a session shows what the model shows after append, retry, fork, compact, checkpoint, rewind, resume, tear and a second handle in any order', async (t) => {
  const random = seededRandom(t)
  const folder = memoryFolder(t)
  let folders = 0
  const newFolder = () => {
    const own = join(folder, String(folders++))
    mkdirSync(own)
    return own
  }
  let commands = 0
  for (const seed of [...KNOWN_SEEDS.model, random.below(2 ** 31)]) {
    commands += await runModel(newFolder, { seed, runs: runs(30, 15), commandsMax: 25 })
  }
  expect(commands).toBeGreaterThan(200)
})
