// The code of the pages runs as a user would paste it: in an empty folder, against the built package.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { COMMAND_GROUPS } from '../../lib/cli/commands.js'
import { temporaryFolder } from '../helpers/temporary.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pageOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const blocksOf = (name: string) =>
  [...pageOf(name).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)
// Their types are checked by docs/check-code.mjs, in `npm run check`.
const pages = [
  'README.md',
  'docs/COMPACTION.md',
  'docs/FILES.md',
  'docs/HISTORY.md',
  'docs/LOGS.md',
  'docs/SUBAGENTS.md',
]

test.for(
  pages.flatMap((page) => blocksOf(page).map((code, index) => [index + 1, page, code] as const)),
)('block %i of %s runs', ([index, , code], t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'jsonl-session'))
  const compiled = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  const script = join(folder, `block-${index}.mjs`)
  writeFileSync(script, compiled.outputText)
  const output = execFileSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' })
  expect(output).not.toBe('')
  expect(existsSync(join(folder, '.transcripts'))).toBe(true)
})

// Requirements: 003-31, 003-54, 003-74
test('the README states what a log is not for, and what to use instead', () => {
  const limits = pageOf('README.md').split('\n## Limits\n')[1]!.split('\n## ')[0]!
  for (const word of ['heavy queries', 'analytics', 'tenants', 'redaction after the fact']) {
    expect(limits).toContain(word)
  }
  expect(limits).toMatch(/reviewed settings or a classifier; grants are never persisted/)
})

test('the README has code to run and a table of contents, and is shorter than 200 lines', () => {
  expect(blocksOf('README.md').length).toBeGreaterThanOrEqual(2)
  const titles = [...pageOf('README.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title)
  const listed = [...pageOf('README.md').matchAll(/^- \[(.+)\]\(#/gm)].map(([, title]) => title)
  expect(listed).toEqual(titles)
  expect(pageOf('README.md').split('\n').length).toBeLessThan(200)
})

test('the README lists every command in its group', () => {
  const rows = [...pageOf('README.md').matchAll(/^\| (\w+) \| ((?:`[a-z ]+` ?)+)\|$/gm)]
  const listed = rows.map(([, group, names]) => [group, names!.match(/[a-z][a-z ]*(?=`)/g)])
  const expected = [...COMMAND_GROUPS].map(([group, commands]) => [group, [...commands.keys()]])
  expect(listed).toEqual(expected)
})
