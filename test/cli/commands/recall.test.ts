// The command `recall`.

import { expect, test } from 'vitest'
import { contextCheckpoint } from '../../../lib/continuity/index.js'
import { openContext } from '../../../lib/store/index.js'
import { runCli, runWell } from '../command-line.js'
import { contentsOf, newPlace } from '../stored.js'

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

test('recall for a session leaves out what it has recalled, and says so', async (t) => {
  const place = newPlace(t)
  const { root } = place
  const memories = [{ content: 'The port is 8080.' }]
  const store = openContext({ root, home: root })
  await contextCheckpoint(store, { sessionKey: 'x', sessionSummary: 'Done.', memories })
  await runWell(['prompt', 'demo', 'dig a well'], place)
  const recall = ['recall', 'port', '--session', 'demo']
  const before = contentsOf(root)
  expect(await runWell([...recall, '--dry-run'], place)).toContain('The port is 8080.')
  expect(contentsOf(root)).toEqual(before)
  expect(await runWell([...recall, '--json'], place)).toContain('"contextEpoch":0')
  const none = await runCli(recall, place)
  expect(none).toMatchObject({ stdout: '', exitCode: 1 })
  expect(none.stderr).toContain('--include-recalled prints 1 that the session has recalled')
  expect(await runWell([...recall, '--include-recalled'], place)).toContain('8080')
  const unknown = await runCli(['recall', 'port', '--session', 'nobody'], place)
  expect(unknown.exitCode).toBe(3)
  expect(await runCli(['recall', 'port', '--include-recalled'], place)).toMatchObject({
    exitCode: 2,
  })
})
