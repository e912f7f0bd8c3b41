// Hooks and scripts pay the start of the process for every event, so a command must not load what
// it does not need.

import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'
import { spawnCli } from './command-line.js'

const TRACE = fileURLToPath(new URL('children/trace-loads.cjs', import.meta.url))

async function loadedBy(args: readonly string[], root?: string, input = ''): Promise<string[]> {
  const nodeOptions = ['--require', TRACE]
  const options = root === undefined ? { nodeOptions } : { nodeOptions, root, input }
  const { stderr, exitCode } = await spawnCli(args, options)
  expect(exitCode).toBe(0)
  return [...stderr.matchAll(/^loads (.*)$/gm)].map(([, file]) => file!)
}

const APPEND = ['append', 'demo', '--type', 'user', '--payload', '{"content":"hello"}']

const packagesOf = (files: readonly string[]) =>
  new Set(files.flatMap((file) => /node_modules\/([^/]+)\//.exec(file)?.[1] ?? []))

test('--version loads nothing but its own file', async () => {
  const files = await loadedBy(['--version'])
  expect(files.filter((file) => file.includes('/'))).toEqual([
    expect.stringMatching(/dist\/bin\/jsonl-session\.cjs$/),
  ])
})

test('append loads the kernel lock, and no schemas and no watcher', async (t) => {
  const root = temporaryFolder(t)
  const files = await loadedBy(APPEND, root)
  // The portable lock is part of the bundle; only the addon is a file of its own.
  expect([...packagesOf(files)]).toEqual(['fs-native-extensions'])
})

test('what scripts call for every event loads its own command and none of the others', async (t) => {
  const root = temporaryFolder(t)
  const ours = (files: readonly string[]) => files.filter((file) => file.includes('/dist/'))
  for (const args of [
    APPEND,
    ['prompt', 'demo', 'hello'],
    ['remember', 'demo', 'hello'],
    ['history', 'add', 'hello', '--session', 'demo'],
    ['resume', 'demo', '--json'],
  ]) {
    expect(ours(await loadedBy(args, root)), args.join(' ')).toEqual([
      expect.stringMatching(/dist\/bin\/jsonl-session\.cjs$/),
      expect.stringMatching(/dist\/bin\/hot\/[a-z-]+\.cjs$/),
    ])
  }
})
test.each([
  ['UserPromptSubmit', { prompt: 'hello' }],
  ['SessionStart', { source: 'startup' }],
  ['PreToolUse', { tool_name: 'Read', tool_use_id: 't1' }],
  ['Stop', { last_assistant_message: 'Done.' }],
])(
  'hook %s loads the kernel lock, and no help, no schemas and no watcher',
  async (name, fields) => {
    const root = temporaryFolder({ onTestFinished })
    const input = JSON.stringify({ session_id: 'demo', ...fields })
    expect([...packagesOf(await loadedBy(['hook', name], root, input))]).toEqual([
      'fs-native-extensions',
    ])
  },
)

test('history add loads the kernel lock, and no schemas and no watcher', async (t) => {
  const root = temporaryFolder(t)
  const files = await loadedBy(['history', 'add', 'hello', '--session', 'demo'], root)
  expect([...packagesOf(files)]).toEqual(['fs-native-extensions'])
})

test('log loads no locks, no schemas and no watcher', async (t) => {
  const root = temporaryFolder(t)
  await loadedBy(APPEND, root)
  expect([...packagesOf(await loadedBy(['log', 'demo'], root))]).toEqual([])
})
