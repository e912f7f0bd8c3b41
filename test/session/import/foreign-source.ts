// A foreign file where its program would have left it, to be imported.

import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'vitest'
import { FOREIGN } from '../../contracts/foreign-files.js'
import { temporaryFolder } from '../../helpers/temporary.js'

export const CLAUDE = '11111111-1111-4111-8111-111111111111'

/** A copy of a fixture under its session's name, and a store to import it into. */
export function setUp(t: TestContext, fixture = 'claude-code/plain') {
  const folder = temporaryFolder(t)
  const root = join(folder, 'store')
  const path = join(folder, 'source', `${CLAUDE}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  cpSync(join(FOREIGN, `${fixture}.jsonl`), path)
  return { root, home: root, path }
}
