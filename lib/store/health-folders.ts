// Everything that lies in the folders of a store, sorted by what it is: a log, something beside a
// lock, the rest of a write that was not finished, or not known. Names alone decide.

import { lstatSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ChannelName } from './health.js'
import { rolloverNumbers, rolloverPath } from './history-files.js'
import { type Layout, layoutOf, type StoreOptions } from './layout.js'
import { isLogName, namesIn } from './log-names.js'

export interface StoreEntry {
  readonly path: string
  readonly channel: ChannelName
  readonly kind: 'folder' | 'log' | 'lock' | 'owner' | 'temporary' | 'other'
  readonly stats: Stats
  /** Why a folder could not be looked into. */
  readonly problem?: string | undefined
}

/** The store of one agent. */
export interface AgentStore {
  readonly layout: Layout
  readonly entries: readonly StoreEntry[]
}

const AGENTS = 'agents'

const TEMPORARY: readonly RegExp[] = [
  // A log that was to take the place of another.
  /^\..+\.jsonl\.[0-9a-f-]{36}\.tmp$/,
  // The note beside a lock.
  /\.lock\.owner\.\d+-\d+\.tmp$/,
  // A small file that was to be replaced as a whole, as write-file-atomic calls it.
  /\.json\.\d{1,10}$/,
]

/** Of the agent that is named, or of all of them. */
export function readStores(options: StoreOptions): AgentStore[] {
  const own = layoutOf(options)
  const layouts = [own]
  if (options.agent === undefined) {
    const folder = join(own.root, AGENTS)
    // An agent's folder is a store like any other.
    for (const name of isFolder(folder) ? namesIn(folder).sort() : []) {
      const agentRoot = join(folder, name)
      if (isFolder(agentRoot)) layouts.push(layoutOf({ ...options, root: agentRoot }))
    }
  }
  return layouts.map((layout) => ({ layout, entries: [...entriesOf(layout)] }))
}

function* entriesOf(layout: Layout): Generator<StoreEntry> {
  for (const [channel, folder] of channelFolders(layout)) {
    const stats = lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) continue
    const { names, problem } = look(folder)
    yield { path: folder, channel, kind: 'folder', stats, problem }
    for (const name of names) yield* entryAt(join(folder, name), channel)
  }
  for (const path of [layout.retentionPath, layout.relocationsPath]) yield* besides(path, 'store')
}

/** What lies in a folder, which may be a link to one. A link to nothing is told as a link. */
function look(folder: string): { names: string[]; problem?: string } {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return { names: [] }
  if (!stats.isDirectory()) return { names: [], problem: 'it is not a folder' }
  try {
    return { names: namesIn(folder).sort() }
  } catch (error) {
    return { names: [], problem: (error as Error).message }
  }
}

/** The files of the history, and what lies beside them. One history serves all agents. */
export function historyEntries({ historyPath, historySweepPath }: Layout): StoreEntry[] {
  const rolled = rolloverNumbers(historyPath).map((number) => rolloverPath(historyPath, number))
  const live = [...besides(historyPath, 'history'), ...besides(historySweepPath, 'history')]
  const entries = rolled.flatMap((path) => [...entryAt(path, 'history')])
  return [...live, ...entries.map((entry) => ({ ...entry, kind: 'log' as const }))]
}

/** Names beside the ones that a store has; those of a project, where the root is one. */
export function unknownNames(layout: Layout): string[] {
  const known = new Set([
    ...channelFolders(layout).map(([, folder]) => basename(folder)),
    ...[layout.retentionPath, layout.relocationsPath].flatMap(familyOf),
    ...[layout.historyPath, layout.historySweepPath].flatMap(familyOf),
    ...[layout.archive, layout.trash].map(({ transcripts }) => basename(dirname(transcripts))),
    ...[layout.imports, layout.fileHistory].map((folder) => basename(folder)),
    AGENTS,
    '.gitignore',
  ])
  const isRollover = /^history\.jsonl\.\d+$/
  const names = namesIn(layout.root).filter((name) => !known.has(name) && !isRollover.test(name))
  return names.filter((name) => !isTemporary(name)).sort()
}

function familyOf(path: string): string[] {
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

/** A file in a folder that may be somebody's project: only what carries its name is looked at. */
function* besides(path: string, channel: ChannelName): Generator<StoreEntry> {
  const folder = join(path, '..')
  const name = basename(path)
  for (const other of isFolder(folder) ? namesIn(folder).sort() : []) {
    const isRest = other.startsWith(`${name}.`) || other.startsWith(`.${name}.`)
    // `history.jsonl.3` is a file of the history, however much it looks like something else.
    if (other === name || familyOf(path).includes(other) || (isRest && isTemporary(other))) {
      yield* entryAt(join(folder, other), channel)
    }
  }
}

function* entryAt(path: string, channel: ChannelName): Generator<StoreEntry> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
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

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
