// The README's code is run as a user would paste it: in an empty folder, against the built package.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)

test.for(blocks.map((code, index) => [index + 1, code] as const))(
  'block %i of the README runs',
  ([index, code], t) => {
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
  },
)

test('the README has code to run, and fits on a few screens', () => {
  expect(blocks.length).toBeGreaterThanOrEqual(2)
  expect(readme.split('\n').length).toBeLessThan(300)
})
