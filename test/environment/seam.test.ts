// Proof that the library reaches files, clock, timers and randomness through its `Environment` only.
// The functions of Node are replaced by detectors before the library is loaded, and the library gets
// an environment with the original ones. A detector that a file of lib/ calls is a hole.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import timers from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test as base, expect, onTestFinished, vi } from 'vitest'
import type { EnvironmentOverrides, FileSystem } from '../../lib/environment/index.js'
import { collect } from '../helpers/collect.js'
import { temporaryFolder } from '../helpers/temporary.js'

// Third-party code that calls Node itself:
// - proper-lockfile renews a lock with a timer and compares times; its file system is ours.
// - write-file-atomic replaces small files: settings, markers and manifests of saved files.
// The addon for kernel locks gets a descriptor and calls the kernel without node:fs.
const EXCEPTIONS = ['proper-lockfile', 'write-file-atomic']

const lib = fileURLToPath(new URL('../../lib/', import.meta.url))
// The stack names the real path, where node_modules is a link.
const modules = `${fs.realpathSync(fileURLToPath(new URL('../../node_modules', import.meta.url)))}/`

type AnyCall = ((...args: unknown[]) => unknown) & { native?: AnyCall }
type Table = Record<string, AnyCall>

interface Calls {
  /** By files of lib/, past the environment: `fs.statSync by store/x.ts`. */
  readonly holes: Set<string>
  /** By packages that files of lib/ called. */
  readonly packages: Set<string>
  /** Through the environment: `fs.statSync`. */
  readonly passed: Set<string>
}

const test = base.extend<{ calls: Calls; environment: EnvironmentOverrides }>({
  // biome-ignore lint/correctness/noEmptyPattern: the form that vitest requires
  calls: async ({}, use) => {
    await use({ holes: new Set(), packages: new Set(), passed: new Set() })
  },
  environment: async ({ calls }, use) => {
    // Loaded again, so that nothing keeps the detectors of another test.
    vi.resetModules()
    const environment = environmentOfOriginals(calls)
    const restore = [
      detect(calls, 'fs', fs as unknown as Table),
      detect(calls, 'fs.promises', fs.promises as unknown as Table),
      detect(calls, 'timers/promises', timers as unknown as Table, ['setTimeout', 'setInterval']),
      detect(calls, 'global', globalThis as unknown as Table, ['setTimeout', 'setInterval']),
      detect(calls, 'Date', Date as unknown as Table, ['now']),
      detect(calls, 'Math', Math as unknown as Table, ['random']),
    ]
    syncBuiltinESMExports()
    await use(environment)
    for (const undo of restore) undo()
    syncBuiltinESMExports()
  },
})

test('the detectors notice a call past the environment', async ({ calls, environment }) => {
  const { openStore } = await import('../../lib/store.js')
  const root = temporaryFolder({ onTestFinished })
  openStore({ root, home: root, environment }).listSessions()
  expect(calls.holes).toEqual(new Set())
  openStore({ root, home: root }).listSessions()
  expect([...calls.holes].some((hole) => hole.startsWith('fs.'))).toBe(true)
})

test('every call of the library goes through its environment', async ({ calls, environment }) => {
  const { openStore } = await import('../../lib/store.js')
  const root = temporaryFolder({ onTestFinished })
  const project = temporaryFolder({ onTestFinished })
  fs.writeFileSync(join(project, 'a.txt'), 'one')
  const store = openStore({ root, home: root, environment })
  store.maintenance.init()

  const session = await store.createSession({ id: 'first', project })
  await session.prompt('add a test')
  await session.append({ type: 'assistant', payload: { content: 'done' } })
  const saved = await session.snapshotFiles(['a.txt'])
  await session.compact({ summary: 'a test was added' })
  await session.prompt('and another')
  const child = await session.spawn({ prompt: 'look around' })
  await child.finish({ status: 'completed', summary: 'seen' })
  await session.rename('Tests')
  await session.close()

  const { session: resumed } = await store.resumeSession({ id: 'first', mode: 'append' })
  await resumed!.prompt('continue')
  fs.writeFileSync(join(project, 'a.txt'), 'two')
  await resumed!.applyFileRewind(await resumed!.planFileRewind({ to: saved.uuid }), {
    overwrite: true,
  })
  await resumed!.close()
  store.forkSession('first', { newId: 'second' })
  await store.appendTranscript({
    session_id: 'first',
    event: { type: 'user', payload: { content: 'x' } },
  })

  store.listSessions({ limit: 10 })
  store.recover({ project })
  store.listSummaries()
  await store.searchSessions({ query: 'test' })
  await collect(store.grep({ pattern: 'test' }))
  await collect(store.exportSession('first'))
  await store.transcriptText('first')

  await store.history.append('a prompt', 'first')
  await store.history.read()
  await store.history.recall()
  await store.history.rotate()
  await store.history.sweep({ apply: true })
  await store.claims.claim('first')
  store.claims.listActive()
  await store.claims.release('first')

  await store.maintenance.verify(session.path)
  await store.maintenance.repair(session.path, { output: join(root, 'repaired.jsonl') })
  await store.maintenance.examine()
  await store.maintenance.stats()
  store.maintenance.diskUsage()
  await store.maintenance.archive({ sessions: ['second'], apply: true })

  expect([...calls.holes]).toEqual([])
  expect(calls.passed.size).toBeGreaterThan(20)
  expect([...calls.packages].sort()).toEqual(EXCEPTIONS)
})

/** The functions of Node as they are now, each of which records that it was called. */
function environmentOfOriginals({ passed }: Calls): EnvironmentOverrides {
  const record =
    (name: string, real: AnyCall): AnyCall =>
    (...args) => {
      passed.add(name)
      return real(...args)
    }
  const files: Record<string, unknown> = {}
  for (const [name, real] of functionsOf(fs as unknown as Table)) {
    files[name] = record(`fs.${name}`, real)
    if (real.native !== undefined) {
      Object.assign(files[name] as object, { native: record(`fs.${name}.native`, real.native) })
    }
  }
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
  const sleep = timers.setTimeout
  const [now, random] = [Date.now, Math.random]
  return {
    now,
    random,
    fs: files as unknown as FileSystem,
    timers: {
      setTimeout: (callback, ms) => setTimeout(callback, ms),
      clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
      setInterval: (callback, ms) => setInterval(callback, ms),
      clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout | undefined),
      sleep: (ms) => sleep(ms),
    },
    host: { clock: now },
  }
}

/** Replaces functions by detectors; returns how to restore them. */
function detect(
  calls: Calls,
  place: string,
  table: Table,
  names: readonly string[] = functionsOf(table).map(([name]) => name),
): () => void {
  const originals = names.map((name) => [name, table[name]!] as const)
  for (const [name, real] of originals) {
    const detector: AnyCall = function (this: unknown, ...args) {
      recordCaller(calls, `${place}.${name}`)
      return real.apply(this, args)
    }
    table[name] = Object.assign(detector, real)
  }
  return () => Object.assign(table, Object.fromEntries(originals))
}

function functionsOf(table: Table): [string, AnyCall][] {
  // A name with a capital letter is a class, and is called with `new`.
  return Object.entries(table).filter(
    ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
  )
}

/**
 * Records the nearest caller that is no part of Node. graceful-fs counts as one: proper-lockfile
 * loads it, and it wraps `fs.closeSync` for the whole process. Loading a module is not recorded.
 */
function recordCaller({ holes, packages }: Calls, name: string): void {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = 50
  const frames = new Error().stack!.split('\n').slice(3)
  Error.stackTraceLimit = before
  if (!frames.some((frame) => frame.includes(lib))) return
  const nearest = frames.find((frame) => !/\(?node:|\/graceful-fs\//.test(frame))!
  const internal = frames.slice(0, frames.indexOf(nearest))
  if (internal.some((frame) => frame.includes('node:internal/modules'))) return
  if (nearest.includes(lib)) holes.add(`${name} by ${/[^(\s]*?lib\/(\S+?\.ts)/.exec(nearest)?.[1]}`)
  const [, found] = nearest.split(modules)
  if (found !== undefined) packages.add(found.split('/')[0]!)
}
