// Subagents that hooks report share one byte limit, although no process counts for all of them.

import { expect, test } from 'vitest'
import { readLogSync } from '../../../lib/log/index.js'
import {
  recordInSidechain,
  recordSpawn,
  recordSubagentResult,
} from '../../../lib/session/record.js'
import { openContext } from '../../../lib/store/index.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const WORDS = 'word '.repeat(8_000)

// Requirement: 003-62
test('subagents that hooks report stay below their common limit, but for 64 KiB each', async (t) => {
  const root = temporaryFolder(t)
  const store = openContext({ root, home: root })
  const options = { maxSidechainBytes: 400_000 }
  let refused = 0
  let written = 0
  for (const taskId of ['one', 'two', 'three']) {
    const subagent = { sessionId: 'demo', taskId }
    await recordSpawn(store, subagent)
    for (let index = 0; index < 8; index++) {
      const event = { type: 'assistant', payload: { content: `${index} ${WORDS}` } }
      const source = { sessionId: 'demo', source: 'Stop', nativeId: `${taskId} ${index}` }
      try {
        await recordInSidechain(store, { ...source, subagent, events: [event] }, options)
        written++
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_SUBAGENT_LIMIT' })
        refused++
      }
    }
  }
  expect(written).toBeGreaterThanOrEqual(8)
  expect(refused).toBeGreaterThanOrEqual(8)
  expect(written * WORDS.length).toBeLessThan(400_000 + 3 * 64 * 1024)
})

// Requirement: 003-62
test('at the limit the start, the end and the result of a subagent are still written', async (t) => {
  const root = temporaryFolder(t)
  const store = openContext({ root, home: root })
  const subagent = { sessionId: 'demo', taskId: 'one' }
  await recordSpawn(store, subagent)
  await recordSubagentResult(store, subagent, { text: WORDS.repeat(3) })
  const { layout } = store
  const typesIn = (path: string) =>
    [...readLogSync(path)].map((entry) => entry.kind === 'event' && entry.event.type)
  expect(typesIn(layout.sidechainPath('one'))).toContain('sidechain_terminator')
  expect(typesIn(layout.transcriptPath('demo'))).toContain('subagent_result')
})
