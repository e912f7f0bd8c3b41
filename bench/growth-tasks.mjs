// What the curves measure in fresh processes: a little out of a large file, and stores as a whole.

import { once } from 'node:events'
import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { readLogBackwardSync } from './library.mjs'
import { peakBytes } from './read-tasks.mjs'

const NEWEST = 50

const WAYS = {
  'newest-50': async () => readNewest,
  /** What most write at first: all lines, the last ones kept. */
  'newest-50-readline': async () => readNewestByReadline,
  async 'find-event'() {
    const { findEvent, openContext } = await (await import('./library.mjs')).loadStore()
    const store = openContext()
    return ({ path, uuid }) => (findEvent(store, path, uuid)?.event.uuid === uuid ? 1 : 0)
  },
  'find-event-readline': async () => findByReadline,
  async grep() {
    const { grepStore } = await loadSessions()
    return async ({ root, pattern }) => {
      let hits = 0
      for await (const { uuid } of grepStore({ root, pattern })) if (uuid !== null) hits++
      return hits
    }
  },
  async import() {
    const { importExported } = await loadSessions()
    return async ({ path, root }) => (await importExported(path, { root, home: root })).events
  },
  async recover() {
    const { recover } = await loadSessions()
    return ({ root, project }) => (recover({ root, home: root, project }) === undefined ? 0 : 1)
  },
}

/** It returns the time in milliseconds, and how much memory the process had at most. */
export async function readSome({ way, expected, ...argument }) {
  const run = await WAYS[way]()
  const start = performance.now()
  const found = await run(argument)
  const time = performance.now() - start
  if (expected === undefined ? !(found > 0) : found !== expected) {
    throw new Error(`${way} found ${found} of ${expected ?? 'what is there'}`)
  }
  return { time, memory: peakBytes() }
}

/** A session of this size, exported as it would be for another machine. */
export async function makeExport({ root, id, path }) {
  const { exportSession } = await loadSessions()
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  for await (const part of exportSession(id, { root, home: root })) {
    if (!file.write(part)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
  rmSync(root, { recursive: true, force: true })
}

function readNewest({ path }) {
  let events = 0
  for (const { kind } of readLogBackwardSync(path)) {
    if (kind === 'event' && ++events === NEWEST) break
  }
  return events
}

async function readNewestByReadline({ path }) {
  const newest = []
  for await (const line of linesOf(path)) {
    newest.push(line)
    if (newest.length > NEWEST) newest.shift()
  }
  return newest.map((line) => JSON.parse(line)).length
}

async function findByReadline({ path, uuid }) {
  let found = 0
  for await (const line of linesOf(path)) if (JSON.parse(line).uuid === uuid) found++
  return found
}

function linesOf(path) {
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
}

// Loaded by those who need it: memory is part of the measure.
async function loadSessions() {
  return (await import('./library.mjs')).loadSessions()
}
