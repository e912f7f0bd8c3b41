// The rules of the house, held by a test, because a rule nobody checks is a wish.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const lib = join(root, 'lib')

const FLOORS: readonly (readonly string[])[] = [
  ['errors.ts', 'version.ts'],
  ['format'],
  ['log', 'chain', 'redaction'],
  ['store', 'compaction'],
  ['continuity', 'files', 'importers', 'exporters'],
  ['session'],
  ['cli', 'mcp', 'hooks', 'summarizers', 'index.ts'],
]

// zod costs more to load than all the rest, so its schemas have a door of their own; so has a
// command alone, which must not meet the others, and so have the settings of hooks, for which the
// hook itself has no time.
const DOORS =
  /(?:\/index|^errors|^version|^format\/schemas|^hooks\/settings|^log\/inside|^session\/told|^cli\/run-hot)\.ts$/

const MAY_USE_FILES = ['log', 'store', 'files']
// The one place where the command line opens a file the user names; it reads it like a pipe.
const READS_USER_FILES = ['cli/text-input.ts']
// They know descriptors that the process was born with, and no path.
const STANDARD_STREAMS = ['cli/plain-output.ts', 'hooks/read-input.ts']
const EXCEPTIONS = [...READS_USER_FILES, ...STANDARD_STREAMS]

const sources = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({
    name: name.split(sep).join('/'),
    text: readFileSync(join(lib, name), 'utf8'),
  }))

for (const { name, text } of sources) {
  test(`${name} knows its room`, () => {
    for (const target of importsOf(text)) {
      const imported = join(dirname(name), target).split(sep).join('/').replace(/\.js$/, '.ts')
      if (roomOf(imported) === roomOf(name)) continue
      expect(floorOf(imported), `${imported} is not below ${name}`).toBeLessThan(floorOf(name))
      expect(imported, `${imported} is not a door`).toMatch(DOORS)
    }
    if (/(?:from|import\() ?'(?:node:)?fs/.test(text) && !EXCEPTIONS.includes(name)) {
      expect(MAY_USE_FILES, 'this room may not touch files').toContain(roomOf(name))
    }
  })

  if (STANDARD_STREAMS.includes(name)) {
    test(`${name} opens nothing`, () => {
      const [, used] = /import \{ (.*) \} from 'node:fs'/.exec(text)!
      for (const call of used!.split(', ')) {
        expect(['fstatSync', 'readSync', 'writeSync']).toContain(call)
      }
    })
  }

  test(`${name} keeps the promises of the house (003-79)`, () => {
    const code = withoutComments(text)
    expect(code, 'an append is one writeSync').not.toMatch(/\bappendFile(?:Sync)?\s*\(/)
    expect(code, 'a log is never shortened').not.toMatch(/\bf?truncate(?:Sync)?\s*\(/)
    expect(code, 'a log is never opened to be written anew').not.toMatch(/['"]w\+?x?['"]|O_TRUNC/)
    expect(code, 'streams cut lines').not.toMatch(/createWriteStream/)
    if (!name.startsWith('log/lock/')) {
      expect(code, 'a log is never read as one string').not.toMatch(/readFile/)
    }
    expect(code, 'the library says nothing by itself').not.toMatch(/\bconsole\./)
    expect(code, 'the library does not end processes').not.toMatch(/\bprocess\.(?:exit|abort)\(/)
    expect(text, 'no work is left for later').not.toMatch(/\b(?:TODO|FIXME|XXX|HACK)\b/)
    expect(text, 'no error is swallowed without a word').not.toMatch(
      /catch\s*(?:\(\w*\))?\s*\{\s*\}/,
    )
  })
}

test('continuity and claims know nothing of each other (000-30)', () => {
  for (const { name, text } of sources) {
    const isClaims = /^store\/(?:claim|decide-claim|bypass)/.test(name)
    if (roomOf(name) !== 'continuity' && !isClaims) continue
    const others = isClaims ? /continuity|checkpoint/ : /\bclaimSession|releaseClaim|claim-state/
    expect(withoutComments(text), name).not.toMatch(others)
  }
})

test('chain and format are pure: no clock, no chance, no waiting', () => {
  for (const { name, text } of sources) {
    if (!['chain', 'format', 'redaction'].includes(roomOf(name))) continue
    const code = withoutComments(text)
    expect(code, name).not.toMatch(/\bDate\.now\(|new Date\(\)|Math\.random|randomUUID|\bawait\b/)
  }
})

test('only summarizers open a connection: storing needs files and never a model (003-03)', () => {
  for (const { name, text } of sources) {
    if (roomOf(name) === 'summarizers') continue
    const code = withoutComments(text)
    expect(code, name).not.toMatch(
      /\bfetch\(|WebSocket|['"](?:node:)?(?:https?|http2|net|tls|dns|dgram)['"]/,
    )
  }
})

test('every file of a room has a reason to be there: it is imported, or it is a door', () => {
  const imported = new Set(
    sources.flatMap(({ name, text }) =>
      importsOf(text).map((target) =>
        join(dirname(name), target).split(sep).join('/').replace(/\.js$/, '.ts'),
      ),
    ),
  )
  const idle = sources.map(({ name }) => name).filter((name) => !imported.has(name))
  expect(idle.filter((name) => !DOORS.test(name) && name !== 'index.ts')).toEqual([])
})

test('the file in which a log is opened for writing is the only one that can make one', () => {
  const makers = sources.filter(({ text }) => /O_CREAT/.test(withoutComments(text)))
  expect(makers.map(({ name }) => relative('log', name)).sort()).toEqual(['open-file.ts'])
})

test('a log is replaced by the prune of checkpoints and by nothing else', () => {
  const users = sources.filter(({ text }) => /\breplaceLog\(/.test(withoutComments(text)))
  const names = users.map(({ name }) => name)
  expect(names.sort()).toEqual(['log/replace-log.ts', 'store/checkpoint-prune.ts'])
  const doors = sources.filter(({ text }) => /from '\.\.\/log\/inside\.js'/.test(text))
  expect(new Set(doors.map(({ name }) => roomOf(name)))).toEqual(new Set(['files', 'store']))
})

test('no permission state has a way to the disk (003-12, 003-80)', () => {
  for (const { name, text } of sources) {
    if (name === 'format/permission-guard.ts') continue
    expect(withoutComments(text), name).not.toMatch(/(?:write|append)\w*\([^)]*[pP]ermission/)
  }
})

test('one room knows what a secret looks like, one function what a project is (000-59)', () => {
  const marking = sources.filter(({ text }) => /(['"`])\[REDACTED\]\1/.test(withoutComments(text)))
  expect(marking.map(({ name }) => name)).toEqual(['redaction/rule.ts'])
  const normalizing = sources.filter(({ text }) =>
    /function (?:normali[sz]e\w*Project|\w*realpath\w*)\b/i.test(text),
  )
  expect(normalizing.map(({ name }) => name)).toEqual(['store/project.ts'])
})

test('long files and functions are listed, for somebody to look at', () => {
  const long = sources.filter(({ text }) => text.split('\n').length > 300)
  for (const { name, text } of long) {
    process.stdout.write(`tidy: ${name} has ${text.split('\n').length} lines\n`)
  }
  for (const { name, text } of sources) {
    for (const { title, length } of functionsOf(text)) {
      if (length > 50) process.stdout.write(`tidy: ${title} in ${name} has ${length} lines\n`)
    }
  }
  expect(sources.length).toBeGreaterThan(0)
})

/** Functions and methods by their indentation, which Biome keeps in order. */
function functionsOf(text: string): { title: string; length: number }[] {
  const lines = text.split('\n')
  const found: { title: string; length: number }[] = []
  for (const [start, line] of lines.entries()) {
    const opening =
      /^(\s{0,2})(?:export |async |static |get |set |function\*? )*(#?\w+)\(.*\{$/.exec(line)
    if (opening === null) continue
    const end = lines.indexOf(`${opening[1]}}`, start)
    found.push({ title: opening[2]!, length: end - start + 1 })
  }
  return found
}

function importsOf(text: string): string[] {
  const found = text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)
  return [...found].map(([, target]) => target!)
}

function roomOf(name: string): string {
  return name.split('/')[0]!
}

function floorOf(name: string): number {
  const floor = FLOORS.findIndex((rooms) => rooms.includes(roomOf(name)))
  if (floor === -1) throw new Error(`${name} is in no room`)
  return floor
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
