// The same log in databases that keep an index, and one event found in each by its uuid.

import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { indexUuids, readLogSync } from './library.mjs'
import { loadPeer, loadSqlite, NotInstalled } from './peers.mjs'

const BATCH = 500
const MOST_KEPT = 1000
const SHORT_BYTES = 4096
const NEWLINE = 0x0a

/** It returns some of the uuids, and why a database is not there. Without a folder, none is made. */
export async function makeDatabases({ path, folder }) {
  const uuids = []
  const { sinks, skipped } =
    folder === undefined ? { sinks: [], skipped: {} } : await openSinks(folder)
  let batch = []
  for (const { event } of readLogSync(path)) {
    uuids.push(event.uuid)
    if (sinks.length === 0) continue
    batch.push({ uuid: event.uuid, line: JSON.stringify(event) })
    if (batch.length < BATCH) continue
    for (const sink of sinks) await sink.write(batch)
    batch = []
  }
  for (const sink of sinks) {
    await sink.write(batch)
    await sink.close()
  }
  const step = Math.ceil(uuids.length / MOST_KEPT)
  return { uuids: uuids.filter((_, index) => index % step === 0), skipped }
}

async function openSinks(folder) {
  const sinks = []
  const skipped = {}
  for (const [name, open] of Object.entries({ sqlite: sqliteSink, level: levelSink })) {
    try {
      sinks.push(await open(folder))
    } catch (error) {
      if (!(error instanceof NotInstalled)) throw error
      skipped[name] = error.message
    }
  }
  return { sinks, skipped }
}

async function sqliteSink(folder) {
  const { open } = await loadSqlite()
  const database = open(join(folder, 'log.db'))
  database.exec('pragma journal_mode = off; pragma synchronous = off')
  database.exec('create table events (id integer primary key, uuid text unique, line text)')
  const insert = database.prepare('insert into events (uuid, line) values (?, ?)')
  return {
    write(rows) {
      database.exec('begin')
      for (const { uuid, line } of rows) insert.run(uuid, line)
      database.exec('commit')
    },
    close: () => database.close(),
  }
}

async function levelSink(folder) {
  const { ClassicLevel } = await loadPeer('classic-level')
  const database = new ClassicLevel(join(folder, 'level'))
  await database.open()
  return {
    write: (rows) =>
      database.batch(rows.map(({ uuid, line }) => ({ type: 'put', key: uuid, value: line }))),
    close: () => database.close(),
  }
}

const WAYS = {
  ours({ path }) {
    const index = indexUuids(path)
    const fd = openSync(path, 'r')
    const short = Buffer.allocUnsafe(SHORT_BYTES)
    const find = (uuid) => {
      const offset = index.find(uuid)
      // Most lines are short; the few others are read again with a larger buffer.
      for (let bytes = short; ; bytes = Buffer.allocUnsafe(8 * bytes.length)) {
        const length = readSync(fd, bytes, 0, bytes.length, offset)
        const end = bytes.subarray(0, length).indexOf(NEWLINE)
        if (end !== -1) return bytes.toString('utf8', 0, end)
      }
    }
    return { find, close: () => closeSync(fd) }
  },
  async sqlite({ folder }) {
    const { open } = await loadSqlite()
    const database = open(join(folder, 'log.db'))
    const select = database.prepare('select line from events where uuid = ?')
    return { find: (uuid) => select.get(uuid).line, close: () => database.close() }
  },
  async level({ folder }) {
    const { ClassicLevel } = await loadPeer('classic-level')
    const database = new ClassicLevel(join(folder, 'level'))
    await database.open()
    return { find: (uuid) => database.get(uuid), close: () => database.close() }
  },
}

/** The time of one lookup, the index being at hand: half of them warm up, half are timed. */
export async function lookUp({ way, uuids, ...where }) {
  const { find, close } = await WAYS[way](where)
  const look = async (uuid) => {
    const found = find(uuid)
    const line = typeof found === 'string' ? found : await found
    if (JSON.parse(line).uuid !== uuid) throw new Error(`${way} found another one`)
  }
  const half = Math.floor(uuids.length / 2)
  for (const uuid of uuids.slice(0, half)) await look(uuid)
  const start = performance.now()
  for (const uuid of uuids.slice(half)) await look(uuid)
  const micros = ((performance.now() - start) * 1000) / (uuids.length - half)
  await close()
  return { micros }
}
