// The code of the pages is run as a user would paste it: in an empty folder, against the built
// package.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pageOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const blocksOf = (name: string) =>
  [...pageOf(name).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)
const pages = [
  'README.md',
  'docs/COMPACTION.md',
  'docs/FILES.md',
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

// As a harness with the strictest settings has it, in a package of its own whose types others read.
const STRICT: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  declaration: true,
  preserveSymlinks: true,
  // What is declared by others is theirs to check, and takes most of the time.
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
}

const HANDED_ON = `
import * as ours from 'jsonl-session'
export const sessions = ours.listSessions({ root: '.' })
export const status = sessions.sessions[0]?.status
export const kind = (one: ours.Interruption) => one.kind
export const details = (error: ours.SessionError) => error.details
export const lock = ours.inspectLock('demo.jsonl')
export const profiles = ours.PROFILES
export const refreshed = (catalog: ours.LiveCatalog) => catalog.refresh()
export const found = (health: ours.StoreHealth) => health.findings.map(({ code }) => code)
export const entries = (session: ours.Session) => session.projection.entries
export const { sessionContext } = await ours.sessionStart({ root: '.', sessionKey: 'demo' })
export const resumed = await ours.resumeSession({ root: '.', id: 'demo' })
export const usage = ours.diskUsage({ root: '.' })
export const stored = (options: ours.CheckpointSessionOptions) => ours.checkpointSession(options)
export const plan = (session: ours.Session) => ours.planCompaction(session.projection)
export const { range, context } = plan({} as ours.Session)
export const seen = context.entries
export const strategy: ours.ChosenSummary['strategy'] = ({} as ours.CompactionOutcome).strategy
export const trigger: ours.CompactionTrigger = 'auto'
export const instructions = (options: ours.InstructionOptions) => ours.compactionInstructions(options)
export const ofKind = (entry: ours.ProjectionEntry) => (entry.kind === 'event' ? entry.event : entry)
export const why = (reason: ours.SkipReason, { skipped }: ours.ImportReport) => skipped?.reason === reason
export const first = (found: ours.Detection) => ('first' in found ? found.first : [])
export const { owner } = lock
export const parent = (child: ours.Sidechain) => child.parent
export const queue = (checkpointer: ours.Checkpointer) => checkpointer.queue
export const due = (continuity: ours.Continuity) => continuity.whatIsDue({ sessionKey: 'demo' })
export const consumed = (continuity: ours.Continuity) => continuity.consumeState({ sessionKey: 'demo' })
export const changes = (found: ours.Changes) => found.sessions
export const listed = ours.listCheckpoints({ root: '.', limit: 1 })
export const newest = ours.findNewestCheckpoint({ root: '.' }).newest
export const one = ours.findCheckpoint('id', { root: '.' })
export const pruned = await ours.pruneCheckpoints({ root: '.' })
export const moved = (options: ours.RelocateOptions) => ours.relocateProject(options)
export const hidden = (id: string, why: ours.DeleteCheckpointOptions) => ours.deleteCheckpoint(id, why)
`

test('the code of the pages has no type errors, and what we answer can be named by others', (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'jsonl-session'))
  symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const codes = [HANDED_ON, ...pages.flatMap(blocksOf)]
  const files = codes.map((code, index) => {
    const file = join(folder, `code-${index}.ts`)
    writeFileSync(file, `${code}\nexport {}\n`)
    return file
  })
  const host = ts.createCompilerHost(STRICT)
  host.getCurrentDirectory = () => folder
  const found = ts.getPreEmitDiagnostics(ts.createProgram(files, STRICT, host))
  const words = found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  expect(words).toEqual([])
})

test('the README says what a log is not for, and what to do instead (003-31, 003-54, 003-74)', () => {
  const limits = pageOf('README.md').split('**Limits.**')[1]!.split('\n\n')[0]!
  for (const word of ['heavy queries', 'analytics', 'tenants', 'redaction after the fact']) {
    expect(limits).toContain(word)
  }
  expect(limits).toMatch(/reviewed settings or a classifier, not a ledger/)
})

test('the README has code to run, and fits on a few screens', () => {
  expect(blocksOf('README.md').length).toBeGreaterThanOrEqual(2)
  expect(pageOf('README.md').split('\n').length).toBeLessThan(300)
})
