import { PassThrough } from 'node:stream'
import picocolors from 'picocolors'
import { expect, onTestFinished, test } from 'vitest'
import type { CliIo } from '../../../lib/cli/index.js'
import { widthOfText } from '../../../lib/cli/output/plain-text.js'
import { pickActions } from '../../../lib/cli/picker/actions.js'
import { toChoice } from '../../../lib/cli/picker/model.js'
import { previewer } from '../../../lib/cli/picker/preview.js'
import { readPrompts } from '../../../lib/cli/picker/prompts.js'
import { pickInTerminal } from '../../../lib/cli/picker/terminal.js'
import { environmentFrom } from '../../../lib/environment/index.js'
import { listRetired, listSessions, openContext } from '../../../lib/store/index.js'
import { runCli } from '../command-line.js'
import { contentsOf, newPlace, openSession, type Place, storeSession } from '../stored.js'
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

test.each(['resume', 'show', 'view', 'fork', 'rename', 'rewind'])(
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
  const choices = [toChoice({ id: 'a', title: 'a', about: '' })]
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

test.skipIf(!hasTerminals)('--pick is refused on a terminal with TERM=dumb', async (t) => {
  const place = await fill(t)
  const played = await playTerminal(['resume', '--pick'], place, { env: { TERM: 'dumb' } })
  expect(played).toMatchObject({ exitCode: 2, isGivenBack: true })
  expect(played.seen).toContain('--pick cannot draw on a terminal with TERM=dumb')
  expect(played.seen).not.toContain('\x1b')
})

test.skipIf(!hasTerminals)('fork --pick forks the one that was chosen', async (t) => {
  const place = await fill(t)
  const played = await playTerminal(['fork', '--pick', '--id', 'copy', '--json'], place, {
    steps: [
      { wait: '2 of 2', send: 'pars' },
      { wait: '1 of 2', send: '\r' },
    ],
  })
  expect(played).toMatchObject({ exitCode: 0, isGivenBack: true, stepsLeft: 0 })
  expect(played.seen.slice(played.seen.indexOf(LEFT))).toContain(
    '"forkedFrom":{"sessionId":"parser"',
  )
})

test.skipIf(!hasTerminals).each([
  [['rename', '--pick', 'New', 'name'], [{ wait: '2 of 2', send: '\r' }]],
  [
    ['rename', '--pick'],
    [
      { wait: '2 of 2', send: '\r' },
      { wait: 'Title: Audit trunk ports', send: '\x15New name\r' },
    ],
  ],
] as const)('%j takes the title from the arguments or from the picker', async (args, steps) => {
  const place = await fill({ onTestFinished })
  const played = await playTerminal(args, place, { steps })
  expect(played).toMatchObject({ exitCode: 0, isGivenBack: true, stepsLeft: 0 })
  expect(played.seen).toContain('renamed ports: New name')
})

test.skipIf(!hasTerminals)(
  'rewind --pick asks for the session and then for the message',
  async (t) => {
    const place = newPlace(t)
    await storeSession(place, 'chat')
    const played = await playTerminal(['rewind', '--pick'], place, {
      steps: [
        { wait: '1 of 1', send: '\r' },
        { wait: '4 of 4', send: 'hello' },
        { wait: '1 of 4', send: '\r' },
      ],
    })
    expect(played).toMatchObject({ exitCode: 0, isGivenBack: true, stepsLeft: 0 })
    expect(played.seen).toContain('rewound chat to u1: 1 message is left')
  },
)

test.skipIf(!hasTerminals).each([80, 140])(
  'sessions are renamed, forked and trashed in the picker, at %i columns',
  async (columns) => {
    const place = await fill({ onTestFinished })
    const played = await playTerminal(['show', '--pick', '--no-pager'], place, {
      columns,
      steps: [
        { wait: 'Esc cancel', send: '\x12' },
        { wait: 'Enter rename', send: '\x15Check ports\r' },
        { wait: 'Renamed: Check ports', send: '\x06' },
        { wait: 'Fork "Check ports"?', send: 'y' },
        { wait: '3 of 3', send: '\x1b[F' },
        { wait: 'User: Fix the parser', send: '\x18' },
        { wait: 'Move "Fix the parser" to the trash?', send: 'n' },
        { wait: 'Esc cancel', send: '\x18' },
        { wait: 'Move "Fix the parser" to the trash?', send: 'y' },
        { wait: '2 of 2', send: '\x1b' },
      ],
    })
    expect(played).toMatchObject({ exitCode: 1, isGivenBack: true, stepsLeft: 0 })
    expect(played.seen).toContain('trash restore parser --apply')
    const frames = played.seen.split('\x1b[H').slice(1)
    const rows = frames.flatMap((frame) => frame.split('\x1b[J')[0]!.split(/\r+\n/))
    const widths = rows.map((row) => widthOfText(row.replace(/\x1b\[[0-9;]*[mK]/g, '')))
    expect(Math.max(...widths)).toBe(columns)
    const { sessions } = listSessions(openContext({ root: place.root }), { all: true })
    // The fork is named by its first prompt.
    expect(sessions.map(({ title }) => title)).toEqual(['Audit trunk ports', 'Check ports'])
    const { sessions: trashed } = await listRetired(openContext({ root: place.root }), 'trash')
    expect(trashed.map(({ sessionId }) => sessionId)).toEqual(['parser'])
  },
)

test.skipIf(!hasTerminals)('with --dry-run the picker changes nothing', async (t) => {
  const place = await fill(t)
  const before = contentsOf(place.root)
  const played = await playTerminal(['fork', '--pick', '--dry-run'], place, {
    steps: [{ wait: '2 of 2', send: '\x18y\x17\x12\r' }],
  })
  expect(played).toMatchObject({ exitCode: 0, isGivenBack: true, stepsLeft: 0 })
  expect(played.seen).toContain('would fork ports')
  expect(contentsOf(place.root)).toEqual(before)
})

test.skipIf(!hasTerminals)('the filter finds prompts that no row shows', async (t) => {
  const place = await fill(t)
  const said = [
    ['user', 'u1', 'Start here'],
    ['assistant', 'a1', 'Yes.'],
    ['user', 'u2', 'now the § flux capacitor'],
    ...Array.from({ length: 8 }, (_, index) => ['assistant', `b${index}`, 'Done.'] as const),
  ] as const
  await storeSession(place, 'early', { said })
  const played = await playTerminal(['show', '--pick', '--no-pager'], place, {
    steps: [
      // One character: a part of a word could match another row for a moment.
      { wait: '3 of 3', send: '§' },
      { wait: '1 of 3', send: '\r' },
    ],
  })
  expect(played).toMatchObject({ exitCode: 0, stepsLeft: 0 })
  expect(played.seen.slice(played.seen.indexOf(LEFT))).toContain('flux capacitor')
})

test('a refused action is a note, and the session stays in the list', async (t) => {
  const place = newPlace(t)
  const session = await openSession(place, 'busy')
  t.onTestFinished(() => session.release())
  const act = pickActions(openContext({ root: place.root }), () => undefined)
  const choice = toChoice({ id: 'busy', title: 'busy', about: '' })
  const trashed = await act({ kind: 'trash', choice, title: '' })
  expect(trashed.note).toMatch(/^Not moved: /)
  expect(trashed.removed).toBeUndefined()
  const missing = toChoice({ id: 'missing', title: '', about: '' })
  const renamed = await act({ kind: 'rename', choice: missing, title: 'x' })
  expect(renamed.note).toMatch(/^Failed: /)
  expect(renamed.replaced).toBeUndefined()
})

test('a key reads at most one preview, and prompts are read in bounded steps', async (t) => {
  const place = newPlace(t)
  const words = 'many words '.repeat(2000)
  for (let index = 0; index < 8; index++) {
    const said = Array.from({ length: 30 }, (_, n) => ['user', `u${n}`, `${n} ${words}`] as const)
    await storeSession(place, `s${index}`, { said })
  }
  let bytes = 0
  const base = environmentFrom(undefined)
  const readSync = (...args: Parameters<typeof base.fs.readSync>) => {
    const read = base.fs.readSync(...args)
    bytes += read
    return read
  }
  const env = environmentFrom({ fs: { readSync } as Partial<typeof base.fs> })
  const { sessions } = listSessions(openContext({ root: place.root }), { all: true })
  expect(sessions[0]!.bytes).toBeGreaterThan(500 * 1024)
  const preview = previewer(env)
  for (const session of sessions) {
    bytes = 0
    preview(session)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(512 * 1024)
    bytes = 0
    preview(session)
    expect(bytes).toBe(0)
  }
  const choices = sessions.map(({ sessionId }) => toChoice({ id: sessionId, title: '', about: '' }))
  const prompts = readPrompts(env, choices, ({ id }) => sessions.find((it) => it.sessionId === id))
  const steps: number[] = []
  for (let read = prompts.readSome(); read !== undefined; read = prompts.readSome()) {
    steps.push(read.length)
    expect(bytes).toBeLessThanOrEqual(512 * 1024)
    bytes = 0
  }
  expect(steps).toEqual([4, 4])
  expect(choices.every(({ search }) => search.prompts.includes('many words'))).toBe(true)
})
