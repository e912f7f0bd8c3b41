// Type-checks the code blocks of the pages against the built package, with the strictest settings a
// harness may have, and checks that every result type can be named by a package that publishes types.
//
//   npm run docs:code    (after a build)

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  declaration: true,
  preserveSymlinks: true,
  // Declarations of other packages take most of the time.
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
}

const HANDED_ON = `
import * as ours from 'jsonl-session'
export const store = ours.openStore({ root: '.' })
export const sessions = store.listSessions()
export const status = sessions.sessions[0]?.status
export const kind = (one: ours.Interruption) => one.kind
export const details = (error: ours.SessionError) => error.details
export const examine = () => store.maintenance.examine()
export const entries = (session: ours.Session) => session.projection.entries
export const start = () => store.sessionStart({ sessionKey: 'demo' })
export const resumed = () => store.resumeSession({ id: 'demo' })
export const usage = () => store.maintenance.diskUsage()
export const plan = (session: ours.Session) => ours.planCompaction(session.projection)
export const seen = (session: ours.Session) => plan(session).context.entries
export const ofKind = (entry: ours.ProjectionEntry) => (entry.kind === 'event' ? entry.event : entry)
export const parent = (child: ours.Sidechain) => child.parent
export const listed = () => store.checkpoints.list({ limit: 1 })
export const newest = () => store.checkpoints.findNewest().newest
export const one = () => store.checkpoints.find('id')
export const pruned = () => store.checkpoints.prune()
export const history = () => store.history.recall({ limit: 1 })
export const claim = () => store.claims.read('demo')
export const hits = () => store.grep({ pattern: 'x' })
export const found = () => store.searchSessions({ query: 'x' })
export const imported = () => store.importSession('file')
`

const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))]
const blocks = pages
  .filter((page) => page.endsWith('.md') && !page.endsWith('API.md'))
  .flatMap((page) =>
    blocksOf(page).map((code, index) => ({ name: `${page} block ${index + 1}`, code })),
  )

const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-'))
try {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'jsonl-session'))
  // The types of Node take those of `fetch` from a package of their own.
  for (const name of ['@types', 'undici-types']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  check([{ name: 'exported again', code: HANDED_ON }, ...blocks])
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function check(codes) {
  const names = new Map()
  for (const [index, { name, code }] of codes.entries()) {
    const file = join(folder, `code-${index}.ts`)
    writeFileSync(file, `${code}\nexport {}\n`)
    names.set(file, name)
  }
  const host = ts.createCompilerHost(STRICT)
  host.getCurrentDirectory = () => folder
  const found = ts.getPreEmitDiagnostics(ts.createProgram([...names.keys()], STRICT, host))
  for (const { file, messageText } of found) {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ')
    console.error(`${names.get(file?.fileName) ?? file?.fileName ?? ''}: ${text}`)
  }
  process.exitCode = found.length > 0 ? 1 : 0
}

function blocksOf(page) {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)
}
