// Whoever reads leaves a store as it was: no lock is taken, no index is saved, no time is touched.

import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import {
  examineStore,
  grepStore,
  listSummaries,
  resumeSession,
  searchSessions,
  storeStats,
  verifyLog,
} from '../../lib/free-functions.js'
import {
  appendOnce,
  followLog,
  hasKernelLock,
  readLog,
  readLogBackward,
  readLogBackwardSync,
  readLogSync,
  scanLog,
} from '../../lib/log/index.js'

import {
  layoutOf,
  listCheckpoints,
  listSessions,
  listSidechains,
  openContext,
  read_history,
} from '../../lib/store/index.js'
import { collect } from '../helpers/collect.js'
import { temporaryFolder } from '../helpers/temporary.js'
import { watchFiles } from '../helpers/watched-files.js'
import { live } from '../torture/life.js'

const READERS: Readonly<Record<string, (folder: string, log: string) => unknown>> = {
  list: (folder) => listSessions(openContext({ root: folder })),
  search: (folder) => searchSessions({ query: 'one', root: folder }),
  grep: (folder) => collect(grepStore({ pattern: 'one', root: folder })),
  stats: (folder) => storeStats({ root: folder }),
  history: (folder) => read_history({ home: folder, limit: 5 }),
  checkpoints: (folder) =>
    listCheckpoints(openContext({ root: folder, home: folder }), { scope: 'all' }),
  sidechains: (folder) => listSidechains(openContext({ root: folder })),
  summaries: (folder) => listSummaries({ root: folder }),
  doctor: (folder) => examineStore({ root: folder, home: folder, deep: true }),
  inspect: (folder) => resumeSession({ root: folder, home: folder, id: 'life', mode: 'inspect' }),
  verify: (_folder, log) => verifyLog(log),
  scan: (_folder, log) => scanLog(log, () => {}),
}

test('readers write nothing and take no lock', async (t) => {
  const folder = temporaryFolder(t)
  await live(folder)
  const log = layoutOf({ root: folder }, systemEnvironment.host).transcriptPath('life')
  const before = treeOf(folder)
  for (const [name, read] of Object.entries(READERS)) {
    // Twice: what the first one keeps is for the second one.
    for (let time = 0; time < 2; time++) {
      expect(await locksDuring(folder, () => read(folder, log)), name).toEqual([])
      expect(treeOf(folder), name).toEqual(before)
    }
  }
  // The same eyes see the lock of a writer.
  const said = { type: 'user', payload: { content: 'x' } } as const
  const locks = await locksDuring(folder, () => appendOnce(log, [said]))
  expect(locks.length > 0).toBe(hasKernelLock() && process.platform === 'linux')
})

test('a reader in the middle of a log keeps no writer waiting', async (t) => {
  const path = join(temporaryFolder(t), 's.jsonl')
  const said = { type: 'user', payload: { content: 'x' } } as const
  await appendOnce(path, [said, said, said])
  const readers = [readLogSync, readLogBackwardSync, readLog, readLogBackward, followLog]
  for (const reader of readers) {
    const entries = reader(path)
    await entries.next()
    const written = appendOnce(path, [said], { lockTimeoutMs: 0 })
    await expect(written, reader.name).resolves.toHaveLength(1)
    await entries.return()
  }
})

/** Names, sizes and times of everything. */
function treeOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return names.map((name) => {
    const { ino, size, mode, mtimeMs } = statSync(join(folder, name))
    return `${name} ${ino} ${size} ${mode} ${mtimeMs}`
  })
}

/** The kernel's locks on files of the folder that this process holds while a file is open. */
async function locksDuring(folder: string, read: () => unknown): Promise<string[]> {
  const locks = new Set<string>()
  const stop = watchFiles(folder, {
    after({ name, path }) {
      if (name === 'fstatSync' || name === 'readSync')
        for (const it of ownLocks(folder)) locks.add(`${path} ${it}`)
    },
  })
  try {
    await read()
  } finally {
    stop()
  }
  return [...locks]
}

/** Linux tells them of every descriptor; elsewhere nobody does. */
function ownLocks(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fdinfo').flatMap((fd) => {
    // Sessions of other tests in this process may hold locks too.
    if (!fileOf(fd).startsWith(folder)) return []
    return /^lock:.*$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
  })
}

function fileOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    // The descriptor by which the folder was listed.
    return ''
  }
}
