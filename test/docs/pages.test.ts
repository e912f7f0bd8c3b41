// The pages on hooks and MCP, followed by a new user: an empty home, the program on the PATH, the
// commands typed one after the other.

import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, type TestContext } from 'vitest'
import { answerOf, BINARY } from '../cli/command-line.js'
import { temporaryFolder } from '../helpers/temporary.js'

const page = (name: string) =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')

const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block]) => block!,
  )

/** As after `npm install -g`: a link on the PATH. */
function newUser(t: TestContext) {
  const home = temporaryFolder(t)
  const bin = join(home, 'npm-global', 'bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(BINARY, join(bin, 'jsonl-session'))
  const PATH = [bin, process.env['PATH']].join(delimiter)
  return { home, env: { HOME: home, PATH } }
}

/** Each command with what the page shows of its output. */
function stepsOf(block: string) {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command, ...shown] = step.trimEnd().split('\n')
      return { command: command!, shown: shown.join('\n') }
    })
}

function patternOf(shown: string): RegExp {
  const parts = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*')}\\n$`)
}

async function type(command: string, user: ReturnType<typeof newUser>) {
  const child = spawn('bash', ['-c', `${command} 2>&1`], { cwd: user.home, env: user.env })
  child.stdin.end()
  return answerOf(child)
}

it.for(['HOOKS', 'MCP'])('docs/%s.md shows what a new user sees', async (name, t) => {
  const user = newUser(t)
  const steps = blocksOf(page(name), 'console').flatMap(stepsOf)
  expect(steps.length).toBeGreaterThan(0)
  for (const { command, shown } of steps) {
    const { stdout, exitCode } = await type(command, user)
    expect(stdout, command).toMatch(patternOf(shown))
    expect(exitCode, command).toBe(0)
  }
  // The page removes at its end what it created, apart from the folders of the clients.
  const names = readdirSync(user.home).filter((it) => it !== 'npm-global')
  const isEmptied = (name: string) =>
    ['.claude', '.gemini', '.codex'].includes(name) &&
    readdirSync(join(user.home, name)).length === 0
  expect(names.filter((name) => !isEmptied(name))).toEqual([])
})

it('hooks that are installed through a link on the PATH call that link', async (t) => {
  const user = newUser(t)
  await type('jsonl-session hooks install --apply', user)
  const settings = JSON.parse(readFileSync(join(user.home, '.claude/settings.json'), 'utf8'))
  const [handler] = settings.hooks.SessionStart[0].hooks
  expect(handler.args[0]).toBe(join(user.home, 'npm-global/bin/jsonl-session'))
  expect(await type('jsonl-session hooks status', user)).toMatchObject({ exitCode: 0 })
  const child = spawn(handler.command, [handler.args[0], '--version'], { env: user.env })
  expect(await answerOf(child)).toMatchObject({ exitCode: 0 })
})

it('the .mcp.json of docs/MCP.md starts a working server with the listed tools', async (t) => {
  const { home, env } = newUser(t)
  const [block] = blocksOf(page('MCP'), 'json')
  const { command, args } = JSON.parse(block!).mcpServers.sessions
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({ command, args, cwd: home, env, stderr: 'ignore' }),
  )
  t.onTestFinished(() => client.close())
  const stored = await client.callTool({
    name: 'session_digest',
    arguments: { digest: 'The page works.' },
  })
  expect(stored.isError).not.toBe(true)
  const { tools } = await client.listTools()
  const rows = [...page('MCP').matchAll(/^\| `(\w+)` \|/gm)].map(([, tool]) => tool)
  expect(rows.sort()).toEqual(tools.map((tool) => tool.name).sort())
  expect(readdirSync(home).sort()).toEqual(['.jsonl-session', 'npm-global'])
})

// Requirement: 000-70
it('docs/MCP.md names only tools and functions that exist in its table of harnesses', async () => {
  const [, table = ''] = page('MCP').split('## Which harness gets what')
  const rows = [...table.matchAll(/^\| (?!part|---)(.+) \|$/gm)].map(([, row]) => row!.split(' | '))
  expect(rows.map(([part]) => part)).toEqual([
    'sessions recorded, checkpoints by themselves',
    'recovery when a session starts',
    'every turn recorded',
    "an agent's own digest",
    'rescue before a compaction',
  ])
  const library: object = await import(new URL('../../dist/lib/index.js', import.meta.url).href)
  for (const [, , mcp = '', host = ''] of rows) {
    for (const [, name] of host.matchAll(/`(\w+)`/g)) expect(library).toHaveProperty(name!)
    for (const [, tool] of mcp.matchAll(/`(\w+)`/g))
      expect(page('MCP')).toContain(`| \`${tool}\` |`)
  }
  expect(rows.at(-1)![1]).toContain('PreCompact')
})
