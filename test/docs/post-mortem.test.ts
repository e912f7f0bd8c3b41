// Every recipe of docs/POST-MORTEM.md runs in a shell, against a store that contains what it looks for.
// FINDS lists the expected output; a recipe without an expectation fails.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BINARY } from '../cli/command-line.js'
import { openSession } from '../cli/stored.js'

const PAGE = readFileSync(new URL('../../docs/POST-MORTEM.md', import.meta.url), 'utf8')
const SECTIONS = ['Plain grep', 'ripgrep', 'jq', 'jsonl-session grep', 'jsonl-session stats']
const RECIPES = SECTIONS.flatMap((name) => recipesIn(PAGE.split(`\n## ${name}\n`)[1] ?? ''))

function recipesIn(rest: string): string[] {
  const section = rest.split('\n## ')[0]!
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, code]) =>
    code!.trim().split('\n'),
  )
}

/** The beginning of a recipe, and what its output must contain. */
const FINDS: readonly (readonly [string, RegExp])[] = [
  ['grep -c', /^2\n$/],
  ['grep -nb', /^\d+:\d+:\{"type":"compaction_boundary"/],
  ['grep -F \'"tool_call_id"', /"type":"tool_call".*\n.*"type":"tool_result".*no such file/],
  ['grep -E', /(.*\n){4}/],
  ['grep -F \'"uuid"', /"uuid":"r2".*\n/],
  ['rg -l', /^\.transcripts\/demo\.jsonl\n$/],
  ['rg -c', /demo\.jsonl:1\n/],
  ['rg -F', /"command":"cat \\"config\.json\\""/],
  ["jq -c 'select(.type", /^\{.*"is_error":true.*\}\n$/],
  ['jq -r \'select(.type=="user"', /user: hello\n.*assistant: Hi\./],
  ['jq -r \'select(.type=="tool_call"', /^ +2 Bash\n/],
  ['jq -s', /"input": 120,\n +"output": 9\n/],
  ['grep -hF', /^\{"command":"cat \\"config\.json\\""\}\n$/],
  ['jq -Rc', /^"hello"\n/],
  [
    "jsonl-session grep 'cat",
    /demo\.jsonl:\d+: demo \S+ @\d+\+\d+ \S+ tool_call {2}cat "config\.json"\n/,
  ],
  ["jsonl-session grep 'no such file' -i", /tool_result {2}no such file\n/],
  ["jsonl-session grep 'key:", /jsonl-\d+- demo .*\n.*:\d+: demo .*key: value/],
  ['jsonl-session grep -m 1', /demo\.jsonl:\d+: demo r2 .*no such file\n.*jsonl-\d+- demo /],
  ["jsonl-session grep '' --type", /demo\.jsonl:1\n$/],
  ['jsonl-session grep \'"is_error"', /^\S+demo\.jsonl\n$/],
  ['sed -n', /^\{\n/],
  ["jsonl-session grep 'no such file' --json", /^\{"type":"tool_result".*\}$/],
  ['jsonl-session stats --by type', /\["tool_result",\d+,1\]/],
  ['jsonl-session stats --by day', /^2026-01-01\t\d+\t/],
  ['jsonl-session stats --top', /^\d+\ttranscripts\t.*demo\.jsonl\n/],
  ['jsonl-session stats', /^demo\t\d+\t\d+\t120\t0\t9\t2\t1\t1\t0\t\?\n$/],
]

const root = mkdtempSync(join(tmpdir(), 'jsonl-session-'))
const bin = join(root, 'bin')
const transcripts = join(root, '.transcripts')
const env = {
  PATH: `${bin}:${process.env['PATH']}`,
  JSONL_SESSION_ROOT: root,
  JSONL_SESSION_HOME: root,
}

beforeAll(async () => {
  const session = await openSession({ root, cwd: root }, 'demo', {
    said: [
      ['user', 'u1', 'hello'],
      ['assistant', 'a1', { content: 'Hi.', usage: { input_tokens: 120, output_tokens: 9 } }],
      ['tool_call', 'c1', { tool_call_id: 't1', name: 'Bash', input: { command: 'ls' } }],
      ['tool_result', 'r1', { tool_call_id: 't1', content: 'key: value', is_error: false }],
      [
        'tool_call',
        'c2',
        { tool_call_id: 't2', name: 'Bash', input: { command: 'cat "config.json"' } },
      ],
      ['tool_result', 'r2', { tool_call_id: 't2', content: 'no such file', is_error: true }],
      ['user', 'u2', 'continue'],
    ],
  })
  await session.compact({ summary: 'Nothing was found.', keepFrom: 'u2' })
  await session.release()
  writeTools()
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

function writeTools(): void {
  mkdirSync(bin)
  const tool = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  tool('jsonl-session', `exec '${process.execPath}' '${BINARY}' "$@"`)
  const rg = ripgrep()
  if (rg !== undefined) tool('rg', `exec '${rg}' "$@"`)
}

function ripgrep(): string | undefined {
  const packages = fileURLToPath(new URL('../../bench/node_modules/@vscode', import.meta.url))
  if (!existsSync(packages)) return undefined
  return readdirSync(packages)
    .map((name) => join(packages, name, 'bin/rg'))
    .find((path) => existsSync(path))
}

const isThere = (tool: string) =>
  spawnSync('sh', ['-c', `command -v ${tool}`], { env }).status === 0

function run(recipe: string, cwd: string) {
  const { stdout, stderr, status } = spawnSync('sh', ['-c', recipe], { cwd, env, encoding: 'utf8' })
  return { stdout, stderr, status }
}

// Requirement: 003-29
test.for(RECIPES)('the recipe finds its target: %s', (recipe, t) => {
  const wanted = FINDS.find(([beginning]) => recipe.startsWith(beginning))?.[1]
  expect(wanted, 'this recipe has no expected output').toBeDefined()
  const tools = recipe.match(/\b(?:jq|rg|dd)\b/g) ?? []
  if (!tools.every(isThere)) return t.skip(`one of ${tools.join(', ')} is not installed`)
  const answer = run(recipe, root)
  expect(answer).toMatchObject({ status: 0, stderr: '' })
  expect(answer.stdout).toMatch(wanted!)
})

test('every section has recipes, and each of them is run', () => {
  expect(RECIPES).toHaveLength(FINDS.length)
})

test('the recipe for damaged files skips the line at which plain jq stops', (t) => {
  if (!isThere('jq')) return t.skip('jq is not installed')
  const damaged = join(root, 'damaged')
  mkdirSync(join(damaged, '.transcripts'), { recursive: true })
  const whole = readFileSync(join(transcripts, 'demo.jsonl'))
  const bytes = Buffer.concat([Buffer.from('{"type":"us\n'), whole])
  writeFileSync(join(damaged, '.transcripts/demo.jsonl'), bytes)
  const recipes = RECIPES.filter((recipe) => recipe.startsWith('jq'))
  expect(recipes.filter((recipe) => run(recipe, damaged).stderr === '')).toEqual([
    expect.stringMatching(/^jq -Rc/),
  ])
})
