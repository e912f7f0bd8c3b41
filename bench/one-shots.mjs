// One of several processes that append to the same log without keeping it open.

import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import properLockfile from 'proper-lockfile'
import { around, newEventsOf, readyEventsOf, textPayloads } from './events.mjs'
import { appendOnce } from './library.mjs'
import { loadSqlite } from './peers.mjs'

const WARM_UPS = 5
const PAYLOAD_CHARS = 200

const WAYS = { 'append-once': appendOnceTo, 'proper-lockfile': lockAndAppendTo, sqlite: insertInto }

/** It returns when this process began and ended, by the clock that all processes share. */
export async function append({ way, path, warmUpPath, count }) {
  const appendTo = await WAYS[way]()
  for (let done = 0; done < WARM_UPS; done++) await appendTo(warmUpPath)
  const go = once(process, 'message')
  process.send({ ready: true })
  await go
  const startMicros = nowMicros()
  for (let done = 0; done < count; done++) await appendTo(path)
  return { startMicros, endMicros: nowMicros() }
}

function appendOnceTo() {
  const next = around(newEventsOf(textPayloads(PAYLOAD_CHARS)))
  return (path) => appendOnce(path, [next()], { durability: 'none', lockTimeoutMs: 60_000 })
}

function lockAndAppendTo() {
  const next = around(readyEventsOf(textPayloads(PAYLOAD_CHARS)))
  // Waits as ours does: 1 ms at first, 50 ms at most, apart from each other.
  const retries = { retries: 5000, factor: 2, minTimeout: 1, maxTimeout: 50, randomize: true }
  return async (path) => {
    const unlock = await properLockfile.lock(path, { realpath: false, retries })
    appendFileSync(path, `${JSON.stringify(next())}\n`)
    await unlock()
  }
}

/** Opened and closed for each, as the others are, because no process keeps it open. */
async function insertInto() {
  const sqlite = await loadSqlite()
  const next = around(readyEventsOf(textPayloads(PAYLOAD_CHARS)))
  return (path) => {
    const database = sqlite.open(`${path}.db`)
    database.exec('PRAGMA busy_timeout = 60000')
    // While the last of the others closes it, this is refused immediately, whatever the timeout.
    untilFree(() => database.exec('PRAGMA journal_mode = WAL'))
    database.exec('PRAGMA synchronous = NORMAL')
    database.exec('CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, event TEXT NOT NULL)')
    database.prepare('INSERT INTO events (event) VALUES (?)').run(JSON.stringify(next()))
    database.close()
  }
}

const TRIES_MAX = 10_000

function untilFree(step) {
  for (let tries = 1; ; tries++) {
    try {
      return step()
    } catch (error) {
      if (tries === TRIES_MAX || !/locked/.test(error.message)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

function nowMicros() {
  return Number(process.hrtime.bigint() / 1000n)
}
