// Stands in for vitest where the same tests are run for thousands of mutants: a run of vitest costs
// half a second before the first test, this one next to nothing. It knows what our tests use.

import * as expectPackage from '@vitest/expect'
import { fn, spyOn } from '@vitest/spy'

const { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } = expectPackage
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)

export const expect = Object.assign(
  (value, message) => chai.expect(value, message),
  chai.expect,
  globalThis[expectPackage.ASYMMETRIC_MATCHERS_OBJECT],
  { poll: (ask) => polled(ask) },
)

/** Every test that was declared so far: { id, file, name, run }. */
export const tests = []

let file = ''
let suite = newSuite(undefined)
let running
const entered = []

function newSuite(parent) {
  return { parent, beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] }
}

export function startFile(path) {
  file = path
  suite = newSuite(undefined)
}

export async function runTest({ suite, body }) {
  const context = { finished: [], failed: [] }
  running = {
    expect,
    onTestFinished: (hook) => context.finished.push(hook),
    onTestFailed: (hook) => context.failed.push(hook),
    skip: () => {},
    signal: new AbortController().signal,
  }
  try {
    const chain = chainOf(suite)
    for (const each of chain) await enter(each)
    for (const each of chain) for (const hook of each.beforeEach) await hook(running)
    await body(running)
  } finally {
    for (const each of chainOf(suite)) for (const hook of each.afterEach) await hook(running)
    for (const hook of context.finished.reverse()) await hook(running)
  }
}

export async function leaveSuites() {
  for (const each of entered.splice(0).reverse()) for (const hook of each.afterAll) await hook()
}

async function enter(each) {
  if (entered.includes(each)) return
  entered.push(each)
  for (const hook of each.beforeAll) await hook()
}

function chainOf(suite) {
  return suite === undefined ? [] : [...chainOf(suite.parent), suite]
}

export function describe(_name, body) {
  const before = suite
  suite = newSuite(before)
  body()
  suite = before
}
describe.runIf = (is) => (is ? describe : () => {})
describe.skipIf = (is) => describe.runIf(!is)
describe.for = (cases) => (name, body) => {
  for (const each of cases) describe(name, () => body(each))
}
describe.each = (cases) => (name, body) => {
  for (const each of cases) describe(name, () => (Array.isArray(each) ? body(...each) : body(each)))
}

function declare(name, ...rest) {
  const body = rest.find((each) => typeof each === 'function')
  // The same from run to run, also where others were added: what is known stays known.
  const same = tests.filter((test) => test.file === file && test.name === name).length
  const id = `${file}#${name}${same === 0 ? '' : ` (${same + 1})`}`
  tests.push({ id, file, name, suite, body })
}

export const test = Object.assign(declare, {
  for: (cases) => forEach(cases, (body, each) => (t) => body(each, t)),
  each: (cases) =>
    forEach(cases, (body, each) => () => (Array.isArray(each) ? body(...each) : body(each))),
  runIf: (is) => (is ? test : ignored),
  skipIf: (is) => (is ? ignored : test),
  skip: () => {},
})
export const it = test

const ignored = Object.assign(() => {}, { for: () => () => {}, each: () => () => {} })

function forEach(cases, bind) {
  return (name, ...rest) => {
    const body = rest.find((each) => typeof each === 'function')
    for (const each of cases) declare(name, bind(body, each))
  }
}

export const beforeAll = (hook) => suite.beforeAll.push(hook)
export const afterAll = (hook) => suite.afterAll.push(hook)
export const beforeEach = (hook) => suite.beforeEach.push(hook)
export const afterEach = (hook) => suite.afterEach.push(hook)
export const onTestFinished = (hook) => running.onTestFinished(hook)

const stubbed = new Map()
export const vi = {
  fn,
  spyOn,
  stubEnv(name, value) {
    if (!stubbed.has(name)) stubbed.set(name, process.env[name])
    setEnv(name, value)
  },
  unstubAllEnvs() {
    for (const [name, value] of stubbed) setEnv(name, value)
    stubbed.clear()
  },
  async waitFor(ask) {
    const end = performance.now() + 1000
    for (;;) {
      try {
        return await ask()
      } catch (error) {
        if (performance.now() > end) throw error
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
  },
}

function setEnv(name, value) {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

function polled(ask) {
  const names = {
    get:
      (_, name) =>
      (...args) =>
        vi.waitFor(async () => expect(await ask())[name](...args)),
  }
  return new Proxy({}, names)
}
