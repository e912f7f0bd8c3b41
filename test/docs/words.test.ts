// Plain technical English: words that hide the actor or mean two things do not appear in the code, the
// documentation or the titles of tests. CONTRIBUTING.md has the words to use instead.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const BANNED =
  /(?<!Math\.)\b(?:told|tells?|nobody|somebody|whoever|stands|lies|goes on|go on|went on|mends|mended|summed up|doors?|rooms?|floors?)\b/i

// Where such a word is right: part of a file → the line that may have it → the reason.
const ALLOWED: readonly { file: string; line: RegExp; reason: string }[] = []

const TITLE = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^'"`\n]*\))?\(\s*(['"`])((?:(?!\1).|\\\1)*)\1/g

test('the code has no banned words', () => {
  expect(offendersIn(['lib', 'bin'], /\.(?:ts|mjs|cjs)$/)).toEqual([])
})

test('the documentation has no banned words', () => {
  const pages = ['', '.github'].flatMap((folder) => offendersIn([folder], /\.(?:md|yml)$/, false))
  expect([...pages, ...offendersIn(['docs', 'examples', 'bench'], /\.(?:md|yml)$/)]).toEqual([])
  expect(offendersIn(['examples'], /\.mjs$/)).toEqual([])
})

test('the titles of tests have no banned words', () => {
  const found = filesIn('test', /\.test\.ts$/).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(TITLE)]
      .map(([, , title]) => title!)
      .filter((title) => BANNED.test(title) && !isAllowed(file, title))
      .map((title) => `${file}: ${title}`),
  )
  expect(found).toEqual([])
})

function offendersIn(folders: readonly string[], name: RegExp, recursive = true): string[] {
  return folders.flatMap((folder) =>
    filesIn(folder, name, recursive).flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .map((line, index) => ({ line, place: `${file}:${index + 1}` }))
        .filter(({ line }) => BANNED.test(line) && !isAllowed(file, line))
        .map(({ line, place }) => `${place}: ${line.trim()}`),
    ),
  )
}

function filesIn(folder: string, name: RegExp, recursive = true): string[] {
  return readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => name.test(file) && !file.includes('node_modules'))
}

function isAllowed(file: string, line: string): boolean {
  return ALLOWED.some((one) => file.endsWith(one.file) && one.line.test(line))
}
