// The states in which a power cut may leave a folder whose files are replaced as a whole: names
// arrive in their order, but late; bytes that were not synced arrive, arrive in part, or are NULs.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type FileCall, watchFiles } from '../helpers/watched-files.js'

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
  return differentStates(await momentsOf(folder, run))
}

/** The same for a crash that comes when all is done: what was done must stay. */
export async function statesAfterwards(
  folder: string,
  run: () => unknown,
): Promise<readonly FolderState[]> {
  return differentStates((await momentsOf(folder, run)).slice(-1))
}

function differentStates(moments: readonly Moment[]): readonly FolderState[] {
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

async function momentsOf(folder: string, run: () => unknown): Promise<readonly Moment[]> {
  const recorder = new Recorder(folder)
  const unwatch = watchFiles(folder, { after: (call, result) => recorder.hear(call, result) })
  try {
    await run()
  } finally {
    unwatch()
  }
  return recorder.moments
}

class Recorder {
  readonly moments: Moment[] = []
  readonly #folder: string
  #now: Names
  #possible: Names[]

  constructor(folder: string) {
    this.#folder = folder
    this.#now = new Map(
      readdirSync(folder).map((name) => [name, newInode(readFileSync(join(folder, name)))]),
    )
    this.#possible = [this.#now]
    this.#remember()
  }

  hear(call: FileCall, result: unknown): void {
    const isOurs = call.path === this.#folder || dirname(call.path) === this.#folder
    // Locks are no part of what is kept.
    if (!isOurs || /\.lock\b/.test(basename(call.path))) return
    if (call.path === this.#folder) this.#hearOfFolder(call)
    else this.#hearOfFile(call, basename(call.path), result)
    this.#remember()
  }

  #hearOfFolder({ name }: FileCall): void {
    if (name.includes('sync')) this.#possible = [this.#now]
  }

  #hearOfFile({ name: call, to, bytes }: FileCall, name: string, result: unknown): void {
    const inode = this.#now.get(name)
    if (inode === undefined) {
      if (call === 'openSync') this.#rename((names) => names.set(name, newInode(Buffer.alloc(0))))
    } else if (call === 'writeSync') {
      inode.unsynced = Buffer.concat([inode.unsynced, bytes!.subarray(0, Number(result))])
    } else if (call.includes('sync')) {
      inode.durable = Buffer.concat([inode.durable, inode.unsynced])
      inode.unsynced = Buffer.alloc(0)
    } else if (call === 'renameSync') {
      this.#rename((names) => names.set(basename(to!), inode).delete(name))
    } else if (call === 'linkSync') {
      this.#rename((names) => names.set(basename(to!), inode))
    } else if (call === 'unlinkSync' || call === 'rmSync') {
      this.#rename((names) => names.delete(name))
    }
  }

  #rename(change: (names: Map<string, Inode>) => void): void {
    const names = new Map(this.#now)
    change(names)
    this.#now = names
    this.#possible = [...this.#possible, names]
  }

  #remember(): void {
    const inodes = new Set(this.#possible.flatMap((names) => [...names.values()]))
    const bytes = new Map([...inodes].map((inode) => [inode, { ...inode }]))
    this.moments.push({ names: this.#possible, bytes })
  }
}

function newInode(durable: Buffer): Inode {
  return { durable, unsynced: Buffer.alloc(0) }
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
