// The command `recall`.

import { expect, test } from 'vitest'
import { contextCheckpoint } from '../../../lib/continuity/index.js'
import { openContext } from '../../../lib/store/index.js'
import { runCli, runWell } from '../command-line.js'
import { newPlace } from '../stored.js'

// Requirement: 001-27
test('recall prints what agents have learnt, with its type and age, or says what else to try', async (t) => {
  const place = newPlace(t)
  const { root } = place
  const memories = [{ content: 'The port is 8080.', memoryType: 'constraint' as const }]
  const of = { sessionKey: 'x', project: '/work/a', sessionSummary: 'Done.' }
  await contextCheckpoint(openContext({ root, home: root }), { ...of, memories })
  expect(await runWell(['recall', 'the', 'port'], place)).toMatch(
    /^constraint {2}The port is 8080\. {2}\S.*\n$/,
  )
  const found = JSON.parse(await runWell(['recall', 'port', '--json'], place))
  expect(found).toMatchObject({ count: 1, results: [{ memoryType: 'constraint' }] })
  const nothing = await runCli(['recall', 'port', '--type', 'fact'], place)
  expect(nothing).toMatchObject({ stdout: '', exitCode: 1 })
  expect(nothing.stderr).toContain('search looks into sessions')
})
