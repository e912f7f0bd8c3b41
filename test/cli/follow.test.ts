import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { id, line } from '../helpers/lines.js'
import { temporaryFile } from '../helpers/temporary.js'
import { answerOf, rowsOf, runCli, runWell, startCli } from './command-line.js'

test('log --follow sees what is appended and ends well on SIGINT', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', line('user', { uuid: id(1) }))
  const child = startCli(['log', path, '--follow', '--json'])
  const answer = answerOf(child)
  const rows = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const first = JSON.parse((await rows.next()).value)
  expect(first).toMatchObject({ lineNumber: 1, event: { uuid: id(1) } })
  appendFileSync(path, line('user', { uuid: id(2) }))
  const second = JSON.parse((await rows.next()).value)
  expect(second).toMatchObject({ lineNumber: 2, event: { uuid: id(2) } })
  child.kill('SIGINT')
  expect(await answer).toMatchObject({ exitCode: 0, stderr: '' })
})

test('log --follow --cursor continues after the row that carried it', async (t) => {
  const path = temporaryFile(
    t,
    'demo.jsonl',
    Buffer.concat([1, 2, 3].map((number) => line('user', { uuid: id(number) }))),
  )
  const follow = ['log', path, '--follow', '--json', '--limit']
  const [, { cursor } = {}] = rowsOf(await runWell([...follow, '2']))
  const rows = rowsOf(await runWell([...follow, '1', '--cursor', String(cursor)]))
  expect(rows).toMatchObject([{ event: { uuid: id(3) } }])
})

test('log --follow rejects an invalid cursor and a missing file', async (t) => {
  const path = temporaryFile(t, 'demo.jsonl', line('user'))
  const broken = await runCli(['log', path, '--follow', '--cursor', 'none'])
  expect(broken).toMatchObject({ stdout: '', exitCode: 2 })
  expect(await runCli(['log', `${path}.jsonl`, '--follow'])).toMatchObject({ exitCode: 3 })
})
