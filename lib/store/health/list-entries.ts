// Everything in the folders of a store, classified by name: a log, a file of a lock, a leftover of
// an interrupted write, or unknown.

import type { Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Layout, layoutOf, type StoreContext } from '../context.js'
import { rolloverNumbers, rolloverPath } from '../history/files.js'
import { isLogName, listNames } from '../list-logs.js'
import type { ChannelName } from './findings.js'

export interface StoreEntry {
  readonly path: string
  readonly channel: ChannelName
  /** `refused`: spooled events that were set aside. */
  readonly kind: 'folder' | 'log' | 'refused' | 'lock' | 'owner' | 'temporary' | 'other'
  readonly stats: Stats
  /** Why a folder could not be listed. */
  readonly problem?: string | undefined
}

/** The store of one agent. */
export interface AgentStore {
  readonly layout: Layout
  readonly entries: readonly StoreEntry[]
}

const AGENTS = 'agents'

const TEMPORARY: readonly RegExp[] = [
  // A log that was to replace another one.
  /^\..+\.jsonl\.[0-9a-f-]{36}\.tmp$/,
  // The owner file of a lock.
  /\.lock\.owner\.\d+-\d+\.tmp$/,
  // A small file of write-file-atomic.
  /\.json\.\d{1,10}$/,
]

/** Of this agent, or of all agents. */
export function readStores(store: StoreContext, allAgents: boolean): AgentStore[] {
  const { root, home } = store.layout
  const layouts = [store.layout]
  const folder = join(root, AGENTS)
  // The folder of an agent is a store like any other.
  for (const name of allAgents && isFolder(store, folder) ? listNames(store, folder).sort() : []) {
    const agentRoot = join(folder, name)
    if (isFolder(store, agentRoot))
      layouts.push(layoutOf({ root: agentRoot, home }, store.env.host))
  }
  return layouts.map((layout) => ({ layout, entries: [...entriesOf(store, layout)] }))
}

function* entriesOf(store: StoreContext, layout: Layout): Generator<StoreEntry> {
  const hasSpool = store.env.fs.statSync(layout.spool, { throwIfNoEntry: false })?.isDirectory()
  const refused: [ChannelName, string][] = hasSpool ? [['spool', layout.refused]] : []
  for (const [channel, folder] of [...channelFolders(layout), ...refused]) {
    const stats = store.env.fs.lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) continue
    const { names, problem } = listFolder(store, folder)
    yield { path: folder, channel, kind: 'folder', stats, problem }
    for (const name of names) {
      for (const entry of entryAt(store, join(folder, name), channel)) {
        const isRefused = folder === layout.refused && entry.kind === 'log'
        yield isRefused ? { ...entry, kind: 'refused' } : entry
      }
    }
  }
  for (const path of [layout.retentionPath, layout.relocationsPath]) {
    yield* entriesNamedAfter(store, path, 'store')
  }
}

/** The names in a folder or in the target of a link; none for a link that leads nowhere. */
function listFolder(store: StoreContext, folder: string): { names: string[]; problem?: string } {
  const stats = store.env.fs.statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return { names: [] }
  if (!stats.isDirectory()) return { names: [], problem: 'it is not a folder' }
  try {
    return { names: listNames(store, folder).sort() }
  } catch (error) {
    return { names: [], problem: (error as Error).message }
  }
}

/** The files of the history. One history serves all agents. */
export function historyEntries(store: StoreContext): StoreEntry[] {
  const { historyPath, historySweepPath } = store.layout
  const rotated = rolloverNumbers(store).flatMap((number) => {
    return [...entryAt(store, rolloverPath(historyPath, number), 'history')]
  })
  return [
    ...entriesNamedAfter(store, historyPath, 'history'),
    ...entriesNamedAfter(store, historySweepPath, 'history'),
    ...rotated.map((entry) => ({ ...entry, kind: 'log' as const })),
  ]
}

/** Names in the root that are not of a store; if the root is a project, its files. */
export function unknownNames(store: StoreContext): string[] {
  const { layout } = store
  const { retentionPath, relocationsPath, historyPath, historySweepPath } = layout
  const known = new Set([
    ...channelFolders(layout).map(([, folder]) => basename(folder)),
    ...[retentionPath, relocationsPath, historyPath, historySweepPath].flatMap(withLockNames),
    ...[layout.archive, layout.trash].map(({ transcripts }) => basename(dirname(transcripts))),
    ...[layout.imports, layout.fileHistory].map((folder) => basename(folder)),
    AGENTS,
    basename(layout.rootConfigPath),
    '.gitignore',
  ])
  const isRollover = /^history\.jsonl\.\d+$/
  return listNames(store, layout.root)
    .filter((name) => !known.has(name) && !isRollover.test(name) && !isTemporary(name))
    .sort()
}

function withLockNames(path: string): string[] {
  const name = basename(path)
  return [name, `${name}.lock`, `${name}.lock.owner`, `${name}.lock.break`]
}

function channelFolders(layout: Layout): [ChannelName, string][] {
  return [
    ['transcripts', layout.transcripts],
    ['sidechains', layout.sidechains],
    ['checkpoints', layout.checkpoints],
    ['claims', layout.claims],
    ['spool', layout.spool],
  ]
}

/** A file and what belongs to it. Its folder may be a project, so other names are ignored. */
function* entriesNamedAfter(
  store: StoreContext,
  path: string,
  channel: ChannelName,
): Generator<StoreEntry> {
  const folder = dirname(path)
  const name = basename(path)
  for (const other of isFolder(store, folder) ? listNames(store, folder).sort() : []) {
    const isRelated = other.startsWith(`${name}.`) || other.startsWith(`.${name}.`)
    // `history.jsonl.3` is a file of the history, although it looks like a temporary file.
    if (withLockNames(path).includes(other) || (isRelated && isTemporary(other))) {
      yield* entryAt(store, join(folder, other), channel)
    }
  }
}

function* entryAt(
  { env }: StoreContext,
  path: string,
  channel: ChannelName,
): Generator<StoreEntry> {
  const stats = env.fs.lstatSync(path, { throwIfNoEntry: false })
  if (stats !== undefined) yield { path, channel, kind: kindOf(basename(path)), stats }
}

function kindOf(name: string): StoreEntry['kind'] {
  if (isTemporary(name)) return 'temporary'
  if (name.endsWith('.jsonl.lock')) return 'lock'
  if (name.endsWith('.jsonl.lock.owner')) return 'owner'
  return isLogName(name) ? 'log' : 'other'
}

function isTemporary(name: string): boolean {
  return TEMPORARY.some((pattern) => pattern.test(name))
}

function isFolder({ env }: StoreContext, path: string): boolean {
  return env.fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
