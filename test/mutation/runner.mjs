// Runs the tests of this process for Stryker without starting anything anew: all test files are
// loaded once, and a mutant is switched on for the tests that reach it.
//
// What one mutant leaves behind must not kill the next one. So the test that killed is run once more
// without any mutant; where it fails then, too, this process ends and a new one judges again.

import fs, { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { register, syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { DryRunStatus, TestStatus, toMutantRunResult } from '@stryker-mutator/api/test-runner'
import { listLibraryFiles, listTestFiles, SKIPPED } from './tests.mjs'

const TEST_MS = 5000
// Other work may hold up the first run; a test that fails twice all the same is left out.
const DRY_MS = 20_000
/** For a test that never gives its thread back. */
const HANG_MS = 10_000
// Hundreds of tests reach what every append does. Those of the mutant's own room come first; who is
// not noticed in this time of the processor lives.
const BUDGET_MS = 2000

const FAR_MS = 1_000_000
const LOADING = 'loading'
const SURVIVORS = join(tmpdir(), 'jsonl-session-mutation', 'survivors.log')
const TIMEOUT = toMutantRunResult({ status: DryRunStatus.Timeout, reason: 'It does not end' })

class QuickRunner {
  static inject = []
  #isUsed = false
  #isSpoilt = false
  #tests = new Map()
  #milliseconds = new Map()
  #lastKills = new Map()
  #kills = 0
  // [tests so far, whether one is running for a mutant, which mutant]
  #beat = new Int32Array(new SharedArrayBuffer(12))
  #markOf = resolve('hangs-')
  #timesPath = resolve('times.json')
  #space
  #stray

  capabilities() {
    return { reloadEnvironment: false }
  }

  async init() {
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, (error) => {
        this.#stray = error
      })
    }
    process.setMaxListeners(0)
    // What tests of a mutant leave behind lies in one place.
    process.env['TMPDIR'] = join(tmpdir(), 'jsonl-session-mutation', 'tests')
    mkdirSync(process.env['TMPDIR'], { recursive: true })
    const workerData = { beat: this.#beat.buffer, hangMs: HANG_MS, markOf: this.#markOf }
    new Worker(new URL('watchdog.mjs', import.meta.url), { workerData }).unref()
    this.#space = globalThis.__stryker__ ??= {}
    register('./hooks.mjs', pathToFileURL(resolve('test/mutation/hooks.mjs')))
    const vitest = await load('test/mutation/quick-vitest.mjs')
    this.vitest = vitest
    for (const path of listLibraryFiles()) await load(path)
    // What test files do while they are loaded belongs to no test, and is not what a module does
    // while it is loaded: for such a mutant every run would need a process of its own.
    this.#space.currentTestId = LOADING
    for (const path of listTestFiles()) {
      vitest.startFile(path)
      await load('test/helpers/own-home.ts')
      await load(path)
    }
    this.#space.currentTestId = undefined
    delete this.#space.mutantCoverage?.perTest[LOADING]
    for (const test of vitest.tests) {
      if (!SKIPPED.some((start) => test.name.startsWith(start))) this.#tests.set(test.id, test)
    }
    if (existsSync(this.#timesPath)) {
      this.#milliseconds = new Map(JSON.parse(readFileSync(this.#timesPath, 'utf8')))
    }
  }

  async dryRun() {
    const results = []
    for (const test of this.#tests.values()) {
      this.#space.currentTestId = test.id
      const start = performance.now()
      const failure = (await this.#failureOf(test, DRY_MS)) && (await this.#failureOf(test, DRY_MS))
      this.#space.currentTestId = undefined
      if (failure === undefined) results.push(resultOf(test, performance.now() - start))
      else process.stderr.write(`Left out, it fails by itself: ${test.id}\n`)
    }
    await this.vitest.leaveSuites()
    writeFileSync(this.#timesPath, JSON.stringify([...this.#milliseconds]))
    return {
      status: DryRunStatus.Complete,
      tests: results,
      mutantCoverage: this.#space.mutantCoverage,
    }
  }

  async mutantRun({ testFilter, activeMutant, hitLimit, mutantActivation }) {
    if (this.#isSpoilt) process.exit(1)
    if (existsSync(this.#markOf + activeMutant.id)) return TIMEOUT
    this.#beat[2] = Number(activeMutant.id)
    const chosen = this.#inGoodOrder(testFilter ?? [...this.#tests.keys()], roomOf(activeMutant))
    const before = processorMs()
    const space = this.#space
    Object.assign(space, { activeMutant: activeMutant.id, hitLimit, hitCount: 0 })
    const results = []
    let killer
    for (const test of chosen) {
      this.#tick(true)
      const failure = await this.#failureOf(test, TEST_MS)
      this.#tick(false)
      results.push(resultOf(test, 0, failure))
      if (failure === undefined) {
        if (processorMs() - before > BUDGET_MS) break
        continue
      }
      killer = test
      this.#lastKills.set(test.id, ++this.#kills)
      break
    }
    const isLoop = hitLimit !== undefined && space.hitCount > hitLimit
    Object.assign(space, { activeMutant: undefined, hitCount: undefined })
    await this.vitest.leaveSuites()
    const wasUsed = this.#isUsed
    this.#isUsed = true
    if (killer !== undefined && mutantActivation !== 'static') {
      restoreFs()
      this.#isSpoilt = (await this.#failureOf(killer, TEST_MS)) !== undefined
      await this.vitest.leaveSuites()
      if (this.#isSpoilt) process.stderr.write(`It fails without a mutant, too: ${killer.id}\n`)
      if (this.#isSpoilt && wasUsed) process.exit(1)
    }
    if (isLoop) return TIMEOUT
    if (killer === undefined) noteSurvivor(activeMutant)
    return toMutantRunResult({ status: DryRunStatus.Complete, tests: results })
  }

  #tick(isRunning) {
    Atomics.add(this.#beat, 0, 1)
    Atomics.store(this.#beat, 1, Number(isRunning))
  }

  /** Those that killed lately come first, then those of the room, the quick ones before the others. */
  #inGoodOrder(ids, room) {
    const recent = this.#kills - 20
    const rank = (id) => {
      const kill = this.#lastKills.get(id) ?? -1
      if (kill > recent) return -kill
      return (this.#milliseconds.get(id) ?? 0) + (id.startsWith(room) ? 0 : FAR_MS)
    }
    const ranks = new Map(ids.map((id) => [id, rank(id)]))
    return ids.sort((a, b) => ranks.get(a) - ranks.get(b)).map((id) => this.#tests.get(id))
  }

  async #failureOf(test, milliseconds) {
    this.#stray = undefined
    const start = performance.now()
    let timer
    const tooLong = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('The test hangs')), milliseconds)
    })
    try {
      await Promise.race([this.vitest.runTest(test), tooLong])
      return this.#stray
    } catch (error) {
      return error ?? new Error('Something empty was thrown')
    } finally {
      clearTimeout(timer)
      if (!this.#milliseconds.has(test.id)) {
        this.#milliseconds.set(test.id, performance.now() - start)
      }
    }
  }
}

const realFs = { ...fs }

/** A test that fails early may leave functions that it has replaced. */
function restoreFs() {
  for (const [name, real] of Object.entries(realFs)) if (fs[name] !== real) fs[name] = real
  syncBuiltinESMExports()
}

/** lib/log/lock/turns.ts → test/log */
function roomOf({ fileName }) {
  return `test/${/\blib[\\/](\w+)/.exec(fileName)?.[1]}`
}

function processorMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Seen while the run goes on, which may last: who waits for the report can begin. */
function noteSurvivor({ fileName, location, replacement }) {
  const { line, column } = location.start
  const text = `${fileName.slice(fileName.lastIndexOf('lib'))}:${line + 1}:${column + 1} ${replacement}\n`
  writeFileSync(SURVIVORS, text, { flag: 'a' })
}

function resultOf({ id, name, file }, timeSpentMs, failure) {
  const result = { id, name, timeSpentMs, fileName: resolve(file) }
  if (failure === undefined) return { ...result, status: TestStatus.Success }
  const failureMessage = String(failure?.message ?? failure)
  return { ...result, status: TestStatus.Failed, failureMessage }
}

function load(path) {
  return import(pathToFileURL(resolve(path)).href)
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'quick', QuickRunner)]
