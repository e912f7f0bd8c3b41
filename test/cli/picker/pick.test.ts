import { PassThrough } from 'node:stream'
import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import type { CliIo } from '../../../lib/cli/index.js'
import { pickInTerminal } from '../../../lib/cli/picker/terminal.js'
import { listSessions, openContext } from '../../../lib/store/index.js'
import { runCli } from '../command-line.js'
import { contentsOf, newPlace, type Place, storeSession } from '../stored.js'
import { hasTerminals, playTerminal } from '../terminal.js'

const ENTERED = '\x1b[?1049h'
const LEFT = '\x1b[?1049l'

async function fill(t: Parameters<typeof newPlace>[0]): Promise<Place> {
  const place = newPlace(t)
  await storeSession(place, 'parser', { said: [['user', 'u1', 'Fix the parser']] })
  await storeSession(place, 'ports', { second: 60, said: [['user', 'u1', 'Audit trunk ports']] })
  return place
}

test.skipIf(!hasTerminals)('resume --pick resumes the one that was chosen', async (t) => {
  const place = await fill(t)
  const played = await playTerminal(['resume', '--pick'], place, {
    steps: [
      { wait: 'User: Audit trunk ports', send: '\x1b[B' },
      { wait: 'User: Fix the parser', send: '\r' },
    ],
  })
  expect(played).toMatchObject({ exitCode: 0, isGivenBack: true, stepsLeft: 0 })
  expect(played.seen.indexOf(LEFT)).toBeLessThan(played.seen.indexOf('resumed parser as'))
  const { sessions } = listSessions(openContext({ root: place.root }), { all: true })
  expect(sessions.flatMap(({ resumedFrom }) => resumedFrom?.sessionId ?? [])).toEqual(['parser'])
})

test.skipIf(!hasTerminals)('show --pick filters by what is typed', async (t) => {
  const place = await fill(t)
  const played = await playTerminal(['show', '--pick', '--no-pager'], place, {
    steps: [
      { wait: '2 of 2', send: 'pars' },
      { wait: '1 of 2', send: '\r' },
    ],
  })
  expect(played).toMatchObject({ exitCode: 0, isGivenBack: true, stepsLeft: 0 })
  expect(played.seen.slice(played.seen.indexOf(LEFT))).toContain('Fix the parser')
})

test.skipIf(!hasTerminals).each([
  ['Esc', { send: '\x1b' }],
  ['Ctrl-C', { send: '\x03' }],
  ['SIGTERM', { signal: 'SIGTERM' }],
  ['SIGINT', { signal: 'SIGINT' }],
] as const)('after %s nothing is created and the terminal is as before', async (_, step) => {
  const finished: (() => void)[] = []
  const place = await fill({ onTestFinished: (done) => finished.push(done as () => void) })
  const before = contentsOf(place.root)
  const steps = [{ wait: '2 of 2', ...step }]
  const played = await playTerminal(['resume', '--pick'], place, { steps })
  expect(played).toMatchObject({ exitCode: 1, isGivenBack: true, stepsLeft: 0 })
  expect(played.seen.lastIndexOf(LEFT)).toBeGreaterThan(played.seen.indexOf(ENTERED))
  expect(contentsOf(place.root)).toEqual(before)
  for (const done of finished) done()
})

test.each(['resume', 'show'])(
  '%s --pick without a terminal is refused with a word',
  async (name) => {
    const answer = await runCli([name, '--pick'])
    expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
    expect(answer.stderr).toContain('--pick needs a terminal on stdin and stdout')
  },
)

test('--pick and a session cannot be combined', async () => {
  const answer = await runCli(['resume', 'demo', '--pick'])
  expect(answer).toMatchObject({ stdout: '', exitCode: 2 })
})

test('the terminal is given back when drawing fails', async () => {
  const modes: boolean[] = []
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true })
  const stdin = Object.assign(terminal(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) })
  const stdout = terminal()
  const heard: string[] = []
  const io = {
    stdin,
    stdout,
    env: {},
    once: (name: string) => heard.push(name),
    off: (name: string) => heard.splice(heard.indexOf(name), 1),
  } as unknown as CliIo
  const choices = [{ id: 'a', title: 'a', about: '' }]
  const preview = () => {
    throw new Error('no preview')
  }
  const colors = picocolors.createColors(false)
  await expect(pickInTerminal(choices, { io, colors, preview })).rejects.toThrow('no preview')
  expect(modes).toEqual([true, false])
  expect(String(stdout.read())).toContain(LEFT)
  expect(heard).toEqual([])
  expect(stdin.listenerCount('keypress')).toBe(0)
})
