// Rules of the codebase, one test each. A failure lists every file that breaks the rule.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const lib = join(root, 'lib')

// A module imports only from the layers above this line in the list, that is, from lower layers.
const LAYERS: readonly (readonly string[])[] = [
  ['errors.ts', 'version.ts', 'environment'],
  ['format'],
  ['log', 'chain', 'redaction'],
  ['store', 'compaction'],
  ['continuity', 'files', 'interchange'],
  ['session'],
  ['cli', 'mcp', 'hooks', 'server', 'summarizers', 'store-areas.ts'],
  ['store.ts'],
  ['free-functions.ts'],
  ['index.ts'],
]

// What a file of another module may import. Besides each module's index.ts: zod costs more to load
// than the rest of the library, so its schemas are apart; the hook program must load neither the
// settings editor nor the session class, and a single command must not load the others.
const ENTRY_POINTS =
  /^(?:\w+\/(?:index|public)|errors|version|store|store-areas|free-functions|format\/(?:fields|schemas)|hooks\/settings|interchange\/follow|log\/internal|session\/record|cli\/run-hot|cli\/man\/index)\.ts$/

const MAX_FILES_PER_FOLDER = 20

const everything = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => {
    const text = readFileSync(join(lib, name), 'utf8')
    return { name: name.split(sep).join('/'), text, code: withoutComments(text) }
  })

// The viewer runs in a browser: the clock, timers and requests of a page are its environment.
const isViewer = ({ name }: { name: string }) => name.startsWith('viewer/')
const sources = everything.filter((source) => !isViewer(source))
const viewer = everything.filter(isViewer)

test('the viewer uses only the pure modules of the library', () => {
  const imported = viewer.flatMap(({ name, text }) => importsOf(name, text))
  const modules = imported.filter((name) => !name.startsWith('viewer/'))
  expect(new Set(modules)).toEqual(new Set(['chain/index.ts', 'format/index.ts']))
  expect(
    sources
      .flatMap(({ name, text }) => importsOf(name, text))
      .filter((name) => name.startsWith('viewer/')),
  ).toEqual([])
})

test('the viewer evaluates nothing, keeps no cookie and sends its token to its server only', () => {
  const found = viewer.filter(({ code }) =>
    /\beval\(|new Function|document\.(?:cookie|write)|sendBeacon|XMLHttpRequest|EventSource/.test(
      code,
    ),
  )
  expect(found.map(({ name }) => name)).toEqual([])
  const fetching = viewer.filter(({ code }) => /\bfetch\(/.test(code))
  expect(fetching.map(({ name }) => name)).toEqual(['viewer/data/api.ts'])
})

test('HTML is set from sanitized text only', () => {
  const setting = viewer.filter(({ code }) => /innerHTML|dangerouslySetInnerHTML/.test(code))
  const sanitizing = setting.filter(({ code }) => /renderMarkdown|renderCode|purifier/.test(code))
  expect(setting.map(({ name }) => name)).toEqual(sanitizing.map(({ name }) => name))
})

test('a module imports only from lower layers, and only through their entry points', () => {
  const wrong: string[] = []
  for (const { name, text } of sources) {
    for (const imported of importsOf(name, text)) {
      if (moduleOf(imported) === moduleOf(name)) continue
      if (layerOf(imported) >= layerOf(name))
        wrong.push(`${name}: ${imported} is not in a lower layer`)
      if (!ENTRY_POINTS.test(imported)) wrong.push(`${name}: ${imported} is not an entry point`)
    }
  }
  expect(wrong).toEqual([])
})

test('sub-folders of a module do not import each other in circles', () => {
  const edges = new Map<string, Set<string>>()
  for (const { name, text } of sources) {
    for (const imported of importsOf(name, text)) {
      const [from, to] = [dirname(name), dirname(imported)]
      if (from === to || moduleOf(name) !== moduleOf(imported)) continue
      if (!from.includes('/') || !to.includes('/')) continue
      edges.set(from, (edges.get(from) ?? new Set()).add(to))
    }
  }
  const circles = [...edges.keys()].filter((folder) => reachableFrom(folder, edges).has(folder))
  expect(circles).toEqual([])
})

test(`no folder has more than ${MAX_FILES_PER_FOLDER} source files`, () => {
  const counts = new Map<string, number>()
  for (const { name } of sources) counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1)
  expect([...counts].filter(([, count]) => count > MAX_FILES_PER_FOLDER)).toEqual([])
})

test('every file is imported by another one or is an entry point', () => {
  const imported = new Set(sources.flatMap(({ name, text }) => importsOf(name, text)))
  const unused = sources.map(({ name }) => name).filter((name) => !imported.has(name))
  expect(unused.filter((name) => !ENTRY_POINTS.test(name) && name !== 'index.ts')).toEqual([])
})

// Its text is the source of a module that runs inside OpenCode, not here.
const OPENCODE_PLUGIN = 'hooks/clients/opencode-plugin.ts'

test('only environment reaches files, clock, timers, randomness and the process', () => {
  const direct =
    /\bprocess\.(?!getBuiltinModule)[a-z]|(?<![.\w])(?:setTimeout|setInterval|setImmediate|clearTimeout|clearInterval)\(|\bDate\.now\b|new Date\(\)|\bperformance\.now|Math\.random|randomUUID/
  const users = sources
    .filter(({ name }) => moduleOf(name) !== 'environment' && name !== OPENCODE_PLUGIN)
    .filter(({ text, code }) => direct.test(code) || importsSystem(text))
    .map(({ name }) => name)
  expect(users).toEqual([])
})

// A default would let a caller that forgets its environment reach the real system unnoticed. Public
// functions resolve `options.environment` with `environmentFrom`.
test('only environment uses systemEnvironment', () => {
  expectNoMatch(/\bsystemEnvironment\b/, ({ name }) => moduleOf(name) !== 'environment')
})

test('an append is one writeSync', () => {
  expectNoMatch(/\bappendFile(?:Sync)?\s*\(/)
})

// Requirement: 003-79
test('a log is never truncated and never opened for overwriting', () => {
  expectNoMatch(/\bf?truncate(?:Sync)?\s*\(/)
  expectNoMatch(/['"]w\+?x?['"]|O_TRUNC/)
  expectNoMatch(/createWriteStream/)
})

test('a log is never read as one string', () => {
  expectNoMatch(/readFile/, ({ name }) => !/^(?:environment|log\/lock)\//.test(name))
})

test('the library prints nothing and does not end the process', () => {
  expectNoMatch(/\bconsole\./)
  expectNoMatch(/\bprocess\.(?:exit|abort)\(/)
})

test('no work is left for later', () => {
  const late = sources.filter(({ text }) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(text))
  expect(late.map(({ name }) => name)).toEqual([])
})

test('no error is swallowed without a comment', () => {
  const silent = sources.filter(({ text }) => /catch\s*(?:\(\w*\))?\s*\{\s*\}/.test(text))
  expect(silent.map(({ name }) => name)).toEqual([])
})

// Requirement: 000-30
test('continuity and claims do not know each other', () => {
  expectNoMatch(
    /\bclaimSession|releaseClaim|claims\/read-state/,
    ({ name }) => moduleOf(name) === 'continuity',
  )
  expectNoMatch(/continuity|checkpoint/, ({ name }) => name.startsWith('store/claims/'))
})

test('chain, format and redaction are pure: no clock, no randomness, no waiting', () => {
  expectNoMatch(/\bDate\.now\(|new Date\(\)|Math\.random|randomUUID|\bawait\b/, ({ name }) =>
    ['chain', 'format', 'redaction'].includes(moduleOf(name)),
  )
})

// Requirement: 003-03
test('only summarizers open network connections', () => {
  expectNoMatch(
    /\bfetch\(|WebSocket|(?:from|\()\s*['"](?:node:)?(?:https?|http2|net|tls|dns|dgram)['"]/,
    ({ name }) => moduleOf(name) !== 'summarizers',
  )
})

test('only server listens for connections, with the server of one package', () => {
  const users = sources.filter(({ text }) => /'@?hono[/']/.test(text)).map(({ name }) => name)
  expect(new Set(users.map(moduleOf))).toEqual(new Set(['server']))
  expectNoMatch(/\.listen\(|\bcreateServer\(/, ({ name }) => name !== 'server/serve.ts')
  expectNoMatch(/createAdaptorServer/, ({ name }) => !name.startsWith('server/'))
})

test('only format knows how a line is spelled', () => {
  expectNoMatch(
    /(['"`])\^?\\*\{"type":|['"`]","(?:ts|uuid|prev_uuid)":/,
    ({ name }) => moduleOf(name) !== 'format',
  )
})

test('only log/files/open-file.ts can create a log', () => {
  const makers = sources.filter(({ code }) => /O_CREAT/.test(code)).map(({ name }) => name)
  expect(makers).toEqual(['log/files/open-file.ts'])
})

test('only the prune of checkpoints replaces a log', () => {
  const users = sources.filter(({ code }) => /\breplaceLog\(/.test(code)).map(({ name }) => name)
  expect(users.sort()).toEqual(['log/write/replace-log.ts', 'store/checkpoints/prune.ts'])
  const modules = sources
    .filter(({ name, text }) => importsOf(name, text).includes('log/internal.ts'))
    .map(({ name }) => moduleOf(name))
  expect(new Set(modules)).toEqual(new Set(['files', 'session', 'store']))
})

// Requirements: 003-12, 003-80
test('permission state is never written', () => {
  expectNoMatch(
    /(?:write|append)\w*\([^)]*[pP]ermission/,
    ({ name }) => name !== 'format/permission-guard.ts',
  )
})

// Requirement: 000-59
test('one module recognises secrets, one function normalises a project', () => {
  const marking = sources.filter(({ code }) => /(['"`])\[REDACTED\]\1/.test(code))
  expect(marking.map(({ name }) => name)).toEqual(['redaction/rule.ts'])
  const normalizing = sources.filter(({ text }) =>
    /function (?:normali[sz]e\w*Project|\w*realpath\w*)\b/i.test(text),
  )
  expect(normalizing.map(({ name }) => name)).toEqual(['store/projects/normalize-project.ts'])
})

function expectNoMatch(
  pattern: RegExp,
  isChecked: (source: (typeof sources)[number]) => boolean = () => true,
): void {
  const found = sources.filter((source) => isChecked(source) && pattern.test(source.code))
  expect(
    found.map(({ name }) => name),
    `must not match ${pattern}`,
  ).toEqual([])
}

function importsOf(name: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target]) =>
    join(dirname(name), target!).split(sep).join('/').replace(/\.js$/, '.ts'),
  )
}

/** A value of these modules of Node; types and the constants of `fs` are allowed. */
function importsSystem(text: string): boolean {
  const imports = text.matchAll(
    /import (type )?(?:\{([^}]*)\}|[\w* ]+?) from 'node:(?:fs|fs\/promises|os|timers|timers\/promises|child_process)'/g,
  )
  return [...imports].some(([, isType, names]) => {
    if (isType !== undefined) return false
    if (names === undefined) return true
    return names
      .split(',')
      .map((name) => name.trim())
      .some((name) => name !== '' && name !== 'constants' && !name.startsWith('type '))
  })
}

function reachableFrom(start: string, edges: ReadonlyMap<string, Set<string>>): Set<string> {
  const reached = new Set<string>()
  const waiting = [...(edges.get(start) ?? [])]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (reached.has(folder)) continue
    reached.add(folder)
    waiting.push(...(edges.get(folder) ?? []))
  }
  return reached
}

function moduleOf(name: string): string {
  return name.split('/')[0]!
}

function layerOf(name: string): number {
  const layer = LAYERS.findIndex((modules) => modules.includes(moduleOf(name)))
  if (layer === -1) throw new Error(`${name} is in no layer`)
  return layer
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
