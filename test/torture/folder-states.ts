// The states in which a power cut may leave a folder whose files are replaced as a whole: names
// arrive in their order, but late; bytes that were not synced arrive, arrive in part, or are NULs.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { watchFiles } from '../helpers/watched-files.js'

interface Inode {
  durable: Buffer
  unsynced: Buffer
}

/** Names and the files they lead to, at one moment. */
type Names = ReadonlyMap<string, Inode>

/** By name: what is in the folder after the crash. */
export type FolderState = ReadonlyMap<string, Buffer>

interface Moment {
  /** What the names may be: as after the last sync of the folder, or after any step since. */
  readonly names: readonly Names[]
  readonly bytes: ReadonlyMap<Inode, Inode>
}

/** Runs something, and gives every state in which a crash during it may leave the folder. */
export async function folderStates(
  folder: string,
  run: () => unknown,
): Promise<readonly FolderState[]> {
  const moments = await momentsOf(folder, run)
  const states = new Map<string, FolderState>()
  for (const moment of moments) {
    for (const state of statesOf(moment)) {
      const key = [...state].map(([name, bytes]) => `${name}:${bytes.toString('latin1')}`).sort()
      states.set(key.join('|'), state)
    }
  }
  return [...states.values()]
}

/** Makes a folder look like that. */
export function putFolder(folder: string, state: FolderState): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [name, bytes] of state) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
}

async function momentsOf(folder: string, run: () => unknown): Promise<Moment[]> {
  let now: Map<string, Inode> = new Map(
    readdirSync(folder).map((name) => {
      return [name, { durable: readFileSync(join(folder, name)), unsynced: Buffer.alloc(0) }]
    }),
  )
  let possible: Names[] = [now]
  const moments: Moment[] = []
  const remember = () => {
    const inodes = new Set(possible.flatMap((names) => [...names.values()]))
    moments.push({ names: possible, bytes: new Map([...inodes].map((it) => [it, { ...it }])) })
  }
  const rename = (change: (names: Map<string, Inode>) => void) => {
    now = new Map(now)
    change(now)
    possible = [...possible, now]
  }
  const unwatch = watchFiles(folder, {
    after({ name: call, path, to, bytes }, result) {
      const name = basename(path)
      if (path !== folder && dirname(path) !== folder) return
      // Locks are no part of what is kept.
      if (/\.lock\b/.test(name)) return
      const inode = now.get(name)
      if (call === 'openSync' && inode === undefined && path !== folder) {
        rename((names) => names.set(name, { durable: Buffer.alloc(0), unsynced: Buffer.alloc(0) }))
      } else if (call === 'writeSync') {
        inode!.unsynced = Buffer.concat([inode!.unsynced, bytes!.subarray(0, Number(result))])
      } else if (call.includes('sync') && path === folder) {
        possible = [now]
      } else if (call.includes('sync') && inode !== undefined) {
        inode.durable = Buffer.concat([inode.durable, inode.unsynced])
        inode.unsynced = Buffer.alloc(0)
      } else if (call === 'renameSync') {
        rename((names) => names.set(basename(to!), inode!).delete(name))
      } else if (call === 'linkSync') {
        rename((names) => names.set(basename(to!), inode!))
      } else if (call === 'unlinkSync' || call === 'rmSync') {
        rename((names) => names.delete(name))
      } else {
        return
      }
      remember()
    },
  })
  try {
    remember()
    await run()
  } finally {
    unwatch()
  }
  return moments
}

function* statesOf({ names, bytes }: Moment): Generator<FolderState> {
  for (const these of names) {
    const inodes = [...new Set(these.values())]
    // All files alike: none, half, all of what waits, or NULs in its place.
    for (const fate of FATES) {
      const contents = new Map(inodes.map((inode) => [inode, fate(bytes.get(inode)!)]))
      yield new Map([...these].map(([name, inode]) => [name, contents.get(inode)!]))
    }
  }
}

const FATES: readonly ((inode: Inode) => Buffer)[] = [
  ({ durable }) => durable,
  ({ durable, unsynced }) => Buffer.concat([durable, unsynced.subarray(0, unsynced.length >> 1)]),
  ({ durable, unsynced }) => Buffer.concat([durable, unsynced]),
  ({ durable, unsynced }) => Buffer.concat([durable, Buffer.alloc(unsynced.length)]),
]
