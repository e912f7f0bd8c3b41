// Subagents of which hooks tell share one cap, though no process counts for all of them.

import { expect, test } from 'vitest'
import { readLogSync } from '../../lib/log/index.js'
import { finishTold, recordInSidechain, spawnTold } from '../../lib/session/told.js'
import { layoutOf } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

const WORDS = 'word '.repeat(8_000)

test('what hooks tell of subagents stays below the cap they share, but for 64 KiB each (003-62)', async (t) => {
  const root = temporaryFolder(t)
  const options = { root, home: root, maxSidechainBytes: 400_000 }
  let refused = 0
  let written = 0
  for (const task_id of ['one', 'two', 'three']) {
    const subagent = { session_id: 'demo', task_id }
    await spawnTold(subagent, options)
    for (let index = 0; index < 8; index++) {
      const event = { type: 'assistant', payload: { content: `${index} ${WORDS}` } }
      const told = { session_id: 'demo', source: 'Stop', nativeId: `${task_id} ${index}` }
      try {
        await recordInSidechain({ ...told, subagent, events: [event] }, options)
        written++
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_SIDECHAIN_CAP' })
        refused++
      }
    }
  }
  expect(written).toBeGreaterThanOrEqual(8)
  expect(refused).toBeGreaterThanOrEqual(8)
  expect(written * WORDS.length).toBeLessThan(400_000 + 3 * 64 * 1024)
})

test('at the cap a subagent is still begun and ended, and its session knows (003-62)', async (t) => {
  const root = temporaryFolder(t)
  const options = { root, home: root, maxSidechainBytes: 1 }
  const subagent = { session_id: 'demo', task_id: 'one' }
  await spawnTold(subagent, options)
  await finishTold(subagent, { text: WORDS.repeat(3) }, options)
  const layout = layoutOf(options)
  const typesIn = (path: string) =>
    [...readLogSync(path)].map((entry) => entry.kind === 'event' && entry.event.type)
  expect(typesIn(layout.sidechainPath('one'))).toContain('sidechain_terminator')
  expect(typesIn(layout.transcriptPath('demo'))).toContain('subagent_result')
})
