// Commands on a context that is longer than they read.

import { expect, test } from 'vitest'
import { Notes } from '../../lib/cli/output/notes.js'
import { Output } from '../../lib/cli/output/output.js'
import { watchReads } from '../../lib/cli/output/read-progress.js'
import { environmentFrom } from '../../lib/environment/index.js'
import { createSession } from '../../lib/free-functions.js'
import { runCli } from './command-line.js'
import { newPlace, type Place } from './stored.js'

async function storeLong({ root, cwd }: Place): Promise<void> {
  const session = await createSession({ root, id: 'long', project: cwd, durability: 'none' })
  const content = 'x'.repeat(1024 * 1024)
  for (let number = 0; number < 20; number++) {
    await session.append({ type: 'user', payload: { content: `${number}\n${content}` } })
  }
  await session.release()
}

test('show and resume print the newest part, and say so', async (t) => {
  const place = newPlace(t)
  await storeLong(place)
  const shown = await runCli(['show', 'long'], place)
  expect(shown.exitCode).toBe(0)
  expect(shown.stdout).toMatch(/^── older messages were not read; --history shows all ──\n/)
  expect(shown.stdout).not.toMatch(/^0$/m)
  expect(shown.stdout).toMatch(/^19$/m)
  expect(shown.stderr).toContain('The context is longer than 16 MiB; older messages were not read')
  const resumed = await runCli(['resume', 'long', '--mode', 'inspect'], place)
  expect(resumed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('context_cut') })
  const strict = await runCli(['resume', 'long', '--mode', 'inspect', '--strict'], place)
  expect(strict).toMatchObject({ exitCode: 4 })
  const history = await runCli(['show', 'long', '--history'], place)
  expect(history.stdout).toMatch(/^0$/m)
  expect(await runCli(['close', 'long'], place)).toMatchObject({ stdout: 'closed long\n' })
}, 30_000)

test('reading for longer than a second shows the bytes, until the answer begins', async () => {
  const said: string[] = []
  let now = 0
  const stderr = { isTTY: true, on: () => stderr, write: (text: string) => said.push(text) }
  const stdout = { isTTY: true, on: () => stdout, write: (_: string, done: () => void) => done() }
  const io = { stderr, stdout, env: {} } as unknown as NodeJS.Process
  const notes = new Notes(io, { isQuiet: false, isJson: false })
  const output = new Output(io)
  const fs = {
    readSync: () => 1024,
    read: (...args: unknown[]) => (args.at(-1) as (error: null, read: number) => void)(null, 1024),
  } as unknown as ReturnType<typeof environmentFrom>['fs']
  const reads = watchReads(environmentFrom({ now: () => now, fs }), { notes, output })
  const readOnce = () => reads.env.fs.readSync(0, Buffer.alloc(0))
  readOnce()
  expect(said).toEqual([])
  now = 1000
  readOnce()
  now = 1100
  readOnce()
  now = 1300
  reads.env.fs.read(0, Buffer.alloc(0), 0, 0, 0, () => {})
  expect(said).toEqual(['\r\x1b[KReading … 2.0 KiB', '\r\x1b[KReading … 4.0 KiB'])
  await output.write('an answer')
  await output.flush()
  expect(said.at(-1)).toBe('\r\x1b[K')
  now = 9000
  readOnce()
  reads.end()
  expect(said).toHaveLength(3)
})
