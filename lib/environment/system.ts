// The environment of a running Node process.

import fs from 'node:fs'
import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment, EnvironmentOverrides, Timer } from './environment.js'
import { fillRandomly } from './random.js'
import { watchFolder } from './watch-folder.js'

/**
 * What native addons are built for: of this machine, which no environment replaces. `undefined` in
 * Bun and Deno, which load addons of Node but lack functions that they call.
 */
export const NATIVE_TARGET =
  process.versions['bun'] === undefined && process.versions['deno'] === undefined
    ? `${process.platform}-${process.arch}`
    : undefined

export const systemEnvironment: Environment = {
  now: Date.now,
  monotonicNow: () => process.uptime() * 1000,
  newUuid,
  newToken: newUuid,
  random: Math.random,
  watchFolder,
  fs,
  timers: {
    setTimeout: (callback, ms) => setTimeout(callback, ms),
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
    setInterval: (callback, ms) => setInterval(callback, ms),
    clearInterval: (timer: Timer | undefined) => clearInterval(timer as NodeJS.Timeout | undefined),
    sleep: async (ms) => {
      await sleep(ms)
    },
    sleepSync: (ms) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    },
  },
  host: {
    pid: process.pid,
    get ppid() {
      return process.ppid
    },
    platform: process.platform,
    get variables() {
      return process.env
    },
    clock: Date.now,
    cwd: () => process.cwd(),
    homedir: () => os.homedir(),
    tmpdir: () => os.tmpdir(),
    hostname: () => os.hostname(),
    kill: (pid, signal) => {
      process.kill(pid, signal)
    },
    onExit(listener) {
      process.prependListener('exit', listener)
      return () => process.off('exit', listener)
    },
    onSignal(signal, listener) {
      process.on(signal, listener)
      return () => process.off(signal, listener)
    },
    emitWarning: (warning) => process.emitWarning(warning),
    signalListenerCount: (signal) => process.listenerCount(signal),
  },
}

/** Those that are whole, so that handing one on costs nothing. */
const resolved = new WeakSet<EnvironmentOverrides>([systemEnvironment])

/** The system's environment with some parts replaced. */
export function environmentFrom(overrides: EnvironmentOverrides | undefined): Environment {
  if (overrides === undefined) return systemEnvironment
  if (resolved.has(overrides)) return overrides as Environment
  const { fs: files, timers, host, ...own } = overrides
  const environment: Environment = {
    ...systemEnvironment,
    ...own,
    fs: files === undefined ? fs : { ...fs, ...files },
    timers: { ...systemEnvironment.timers, ...timers },
    host: host === undefined ? systemEnvironment.host : { ...systemEnvironment.host, ...host },
  }
  resolved.add(environment)
  return environment
}

let cachedMs = Number.NaN
let cachedIso = ''

/** ISO 8601 with milliseconds. Many events share one time, so the last one is kept. */
export function toIso(ms: number): string {
  if (ms !== cachedMs) {
    cachedIso = new Date(ms).toISOString()
    cachedMs = ms
  }
  return cachedIso
}

// Random uuids (version 4), made 128 at a time, after the first few: a process of a hook needs no
// more. Unlike those of crypto.randomUUID() they are flat strings: a rope is flattened again for every
// line it becomes part of, which costs more than making the uuid.

const POOL_SIZE = 128
const FIRST_POOL_SIZE = 4
const UUID_CHARS = 36
const UUID_BYTES = 16

const bytes = Buffer.allocUnsafeSlow(POOL_SIZE * UUID_BYTES)
const text = Buffer.allocUnsafeSlow(POOL_SIZE * UUID_CHARS)
const HEX = Buffer.from('0123456789abcdef', 'latin1')
const HYPHEN = 0x2d

let pool = ''
let next = 0

export function newUuid(): string {
  if (next === pool.length) refill()
  const start = next
  next += UUID_CHARS
  return pool.substring(start, next)
}

function refill(): void {
  const uuidCount = pool === '' ? FIRST_POOL_SIZE : POOL_SIZE
  const random = fillRandomly(bytes.subarray(0, uuidCount * UUID_BYTES))
  let at = 0
  for (let start = 0; start < random.length; start += UUID_BYTES) {
    random[start + 6] = (random[start + 6]! & 0x0f) | 0x40
    random[start + 8] = (random[start + 8]! & 0x3f) | 0x80
    for (let index = 0; index < UUID_BYTES; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text[at++] = HYPHEN
      const byte = random[start + index]!
      text[at++] = HEX[byte >>> 4]!
      text[at++] = HEX[byte & 15]!
    }
  }
  pool = text.toString('latin1', 0, at)
  next = 0
}
