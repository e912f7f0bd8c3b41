// Commands by chance, two handles, torn ends: a session always shows what a few arrays show.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '../helpers/random.js'
import { memoryFolder } from '../helpers/temporary.js'
import { KNOWN_SEEDS } from './known-seeds.js'
import { runModel } from './model.js'

test('append, retry, fork, compact, checkpoint, rewind, resume, tear and a second handle, in any order: the session shows what the model shows (003-64)', async (t) => {
  const random = seededRandom(t)
  const folder = memoryFolder(t)
  let runs = 0
  const newFolder = () => {
    const own = join(folder, String(runs++))
    mkdirSync(own)
    return own
  }
  let commands = 0
  for (const seed of [...KNOWN_SEEDS.model, random.below(2 ** 31)]) {
    commands += await runModel(newFolder, { seed, runs: 30, commandsMax: 25 })
  }
  expect(commands).toBeGreaterThan(200)
})
