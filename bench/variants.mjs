// The ways to append that are compared. Each opens its file in the folder it is given.

import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { around, newEventsOf, readyEventsOf } from './events.mjs'
import { openLog } from './library.mjs'
import { loadPeer, loadPi, loadSqlite } from './peers.mjs'

const FILE = 'log.jsonl'
const PRODUCERS = 16
const NEWLINE = 0x0a

/** Ours, one by one: the next event is made when the last one is acknowledged. */
export function oursOneByOne(payloads) {
  return ours(payloads, { durability: 'none' }, async (writer, next, count) => {
    for (let done = 0; done < count; done++) await writer.append(next())
  })
}

/** Ours, several events in one tick. */
export function oursInBursts(payloads, burst) {
  return ours(payloads, { durability: 'none' }, async (writer, next, count) => {
    for (let done = 0; done < count; done += burst) {
      await Promise.all(Array.from({ length: burst }, () => writer.append(next())))
    }
  })
}

/** Ours, every event on the disk before it is acknowledged, and many producers in parallel. */
export function oursBySixteen(payloads) {
  return oursByMany(payloads, PRODUCERS)
}

export function oursByMany(payloads, producers) {
  return ours(payloads, { durability: 'always' }, async (writer, next, count) => {
    async function produce() {
      for (let done = 0; done < count / producers; done++) await writer.append(next())
    }
    await Promise.all(Array.from({ length: producers }, produce))
  })
}

/** Ours, with names that the caller brings, so that each is looked up first. */
export function oursWithUuids(payloads) {
  const next = around(newEventsOf(payloads))
  let named = []
  const run = async (writer) => {
    for (const event of named) await writer.append(event)
  }
  const prepare = (count) => {
    named = Array.from({ length: count }, () => ({ ...next(), uuid: randomUUID() }))
  }
  const variant = ours(payloads, { durability: 'none' }, run)
  return { open: async (folder) => ({ ...(await variant.open(folder)), prepare }) }
}

/** The lower bound: a prepared envelope, serialized and written. */
export function rawWrite(payloads) {
  return raw(payloads, (fd, next, count) => {
    for (let done = 0; done < count; done++) writeSync(fd, `${JSON.stringify(next())}\n`)
  })
}

export function rawWriteAndSync(payloads) {
  return raw(payloads, (fd, next, count) => {
    for (let done = 0; done < count; done++) {
      writeSync(fd, `${JSON.stringify(next())}\n`)
      fdatasyncSync(fd)
    }
  })
}

/** As pi writes its entries: the file is opened and closed for each. */
export function appendFile(payloads) {
  const next = around(readyEventsOf(payloads))
  return {
    open: (folder) => ({
      run(count) {
        const path = join(folder, FILE)
        for (let done = 0; done < count; done++) {
          appendFileSync(path, `${JSON.stringify(next())}\n`)
        }
      },
      close() {},
    }),
  }
}

/** Pi's own session manager. */
export async function piSession(payloads) {
  const { SessionManager } = await loadPi()
  const messages = payloads.map(({ text }) => ({
    role: 'assistant',
    content: [{ type: 'text', text }],
    timestamp: Date.now(),
  }))
  const next = around(messages)
  return {
    open(folder) {
      const session = SessionManager.create(folder, folder)
      return {
        run(count) {
          for (let done = 0; done < count; done++) session.appendMessage(next())
        },
        check() {
          if (readFileSync(session.getSessionFile()).length === 0)
            throw new Error('pi wrote nothing')
        },
        close() {},
      }
    },
  }
}

/** A row per event, each its own transaction, as safe as durability `none` or safer. */
export async function sqliteInsert(payloads, { synchronous = 'NORMAL' } = {}) {
  const sqlite = await loadSqlite()
  const next = around(readyEventsOf(payloads))
  return {
    name: sqlite.name,
    open(folder) {
      const database = sqlite.open(join(folder, 'log.db'))
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
      database.exec(
        'CREATE TABLE events (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, event TEXT NOT NULL)',
      )
      const insert = database.prepare('INSERT INTO events (uuid, event) VALUES (?, ?)')
      let uuids = []
      return {
        prepare(count) {
          uuids = Array.from({ length: count }, () => randomUUID())
        },
        run() {
          for (const uuid of uuids) insert.run(uuid, JSON.stringify(next()))
        },
        close() {
          database.close()
        },
      }
    },
  }
}

/** A row per event on the disk before the next one begins. */
export async function sqliteInsertAndSync(payloads) {
  return sqliteInsert(payloads, { synchronous: 'FULL' })
}

/** One put per event; LevelDB keeps them sorted by uuid. */
export async function levelPut(payloads) {
  const { ClassicLevel } = await loadPeer('classic-level')
  const next = around(readyEventsOf(payloads))
  return {
    async open(folder) {
      const database = new ClassicLevel(join(folder, 'level'))
      await database.open()
      let uuids = []
      return {
        prepare(count) {
          uuids = Array.from({ length: count }, () => randomUUID())
        },
        async run() {
          for (const uuid of uuids) await database.put(uuid, JSON.stringify(next()))
        },
        close: () => database.close(),
      }
    },
  }
}

function ours(payloads, options, appendSome) {
  return {
    async open(folder) {
      const next = around(newEventsOf(payloads))
      const writer = await openLog(join(folder, FILE), options)
      let events = 0
      return {
        run(count) {
          events += count
          return appendSome(writer, next, count)
        },
        check() {
          checkLines(writer.path, events)
        },
        close: () => writer.close(),
      }
    },
  }
}

function raw(payloads, appendSome) {
  return {
    open(folder) {
      const next = around(readyEventsOf(payloads))
      const path = join(folder, FILE)
      const fd = openSync(path, 'a')
      let events = 0
      return {
        run(count) {
          events += count
          appendSome(fd, next, count)
        },
        check() {
          checkLines(path, events)
        },
        close() {
          closeSync(fd)
        },
      }
    },
  }
}

/** A fast way to do less than was asked is no way. */
export function checkLines(path, expected) {
  const bytes = readFileSync(path)
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  if (lines !== expected) throw new Error(`${path} has ${lines} lines, not ${expected}`)
}
