// What the released clients wrote and what they sent to their model on resume (`npm run real -- … --record`),
// against our import of the same files. The expected lists were made without any code of lib/.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importSession, resumeSession } from '../../lib/index.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { compareMessages, type WordingRule } from '../real/rig/compare.mjs'
import { type ListedMessage, toMessageList } from '../real/rig/messages.mjs'

const FIXTURES = join(import.meta.dirname, '../../fixtures/real')

interface Expected {
  /** The file to import, below `source`. */
  readonly session: string
  readonly sessionId: string
  readonly verdict: 'equal' | 'wording'
  readonly messages: readonly ListedMessage[]
}

function listFolders(path: string): string[] {
  return existsSync(path) ? readdirSync(path) : []
}

async function importFixture(root: string, folder: string, { session, sessionId }: Expected) {
  const store = { root, home: root }
  const report = await importSession(join(folder, 'source', session), store)
  const { messages } = await resumeSession({ ...store, id: sessionId, mode: 'inspect' })
  return { report, messages: toMessageList(messages) }
}

for (const client of listFolders(FIXTURES)) {
  describe(`an imported session of ${client} shows what ${client} itself sends on resume`, async () => {
    const oracle = `../real/${client}/oracle.mjs`
    const { WORDING } = (await import(oracle)) as { WORDING: readonly WordingRule[] }
    for (const scenario of listFolders(join(FIXTURES, client))) {
      const folder = join(FIXTURES, client, scenario)
      const expected: Expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'))

      it(scenario, async (t) => {
        const { messages, report } = await importFixture(temporaryFolder(t), folder, expected)
        expect(report.skipped).toBeNull()
        const { verdict, diff } = compareMessages(expected.messages, messages, WORDING)
        expect(diff.filter((line) => !line.startsWith('~'))).toEqual([])
        expect(verdict).toBe(expected.verdict)
      })
    }
  })
}

describe('a recorded session', () => {
  it('names the file to import', () => {
    for (const client of listFolders(FIXTURES)) {
      for (const scenario of listFolders(join(FIXTURES, client))) {
        const folder = join(FIXTURES, client, scenario)
        const { session } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'))
        expect(existsSync(join(folder, 'source', session)), folder).toBe(true)
      }
    }
  })
})
