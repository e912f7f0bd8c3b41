// Creates the folders of a store, and keeps them out of version control. What exists is left as it
// is; git itself is never run.

import { dirname, join } from 'node:path'
import { SessionError, toSessionError } from '../../errors.js'
import { createFolder } from '../../log/internal.js'
import type { StoreContext } from '../context.js'
import { readSettingsFile, type SettingsFile, writeSettingsFile } from '../foreign/settings-file.js'
import { findRepository } from '../projects/git-repository.js'

export interface InitStoreOptions {
  /**
   * Only return what would be done.
   *
   * @default false
   */
  dryRun?: boolean | undefined
}

export interface IgnoredLines {
  readonly path: string
  /** Lines that were missing. */
  readonly added: readonly string[]
}

export interface InitializedStore {
  readonly applied: boolean
  readonly root: string
  readonly home: string
  /** Folders that were missing. */
  readonly created: readonly string[]
  /** For folders in a git work tree: the lines that keep logs out of it. */
  readonly ignored: readonly IgnoredLines[]
  /** Nothing was missing. */
  readonly complete: boolean
}

const HEADING = '# jsonl-session: what was said stays out of version control'

// Folders in any depth, because each agent has its own; files only in the root.
const IN_ROOT = [
  '.transcripts/',
  '.sidechains/',
  '.checkpoints/',
  '.claims/',
  '.spool/',
  '.cache/',
  '.archive/',
  '.trash/',
  '.imports/',
  '/relocations.jsonl*',
  '/retention.jsonl*',
]
const IN_HOME = ['/history.jsonl*', '/history.sweep.json*', 'file-history/']

/** Can be repeated safely. */
export function initStore(
  store: StoreContext,
  { dryRun = false }: InitStoreOptions = {},
): InitializedStore {
  const { root, home, transcripts, sidechains, checkpoints, relocationsPath } = store.layout
  const wanted = [...new Set([root, transcripts, sidechains, checkpoints, home])]
  const created = wanted.filter((folder) => isMissingFolder(store, folder))
  // The root of all agents.
  const changes = planIgnores(store, dirname(relocationsPath), home)
  if (!dryRun) {
    for (const folder of created) makeFolder(store, folder)
    for (const { file, text } of changes) writeSettingsFile(store, file, text, { isShared: true })
  }
  const ignored = changes.map(({ file, added }) => ({ path: file.path, added }))
  const complete = created.length === 0 && ignored.length === 0
  return { applied: !dryRun, root, home, created, ignored, complete }
}

interface IgnoreChange {
  readonly file: SettingsFile
  readonly added: readonly string[]
  readonly text: string
}

function planIgnores(store: StoreContext, root: string, home: string): IgnoreChange[] {
  const wanted = new Map<string, readonly string[]>()
  if (isInWorkTree(store, root)) wanted.set(root, IN_ROOT)
  if (isInWorkTree(store, home)) wanted.set(home, [...(wanted.get(home) ?? []), ...IN_HOME])
  return [...wanted].flatMap(([folder, lines]) => planIgnore(store, folder, lines) ?? [])
}

function planIgnore(
  store: StoreContext,
  folder: string,
  lines: readonly string[],
): IgnoreChange | undefined {
  const file = readSettingsFile(store, join(folder, '.gitignore'))
  const text = file.text ?? ''
  const present = new Set(text.split(/\r?\n/).map((line) => line.trimEnd()))
  const added = lines.filter((line) => !present.has(line))
  if (added.length === 0) return undefined
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
  const heading = present.has(HEADING) ? [] : [HEADING]
  const block = [...heading, ...added].map((line) => line + lineEnd).join('')
  return { file, added, text: text + gap + block }
}

/** Also of a folder that does not exist yet. */
function isInWorkTree(store: StoreContext, folder: string): boolean {
  let nearest = folder
  while (store.env.fs.statSync(nearest, { throwIfNoEntry: false }) === undefined) {
    if (dirname(nearest) === nearest) return false
    nearest = dirname(nearest)
  }
  return findRepository(store, nearest) !== undefined
}

function isMissingFolder({ env }: StoreContext, path: string): boolean {
  const stats = env.fs.statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return true
  if (stats.isDirectory()) return false
  throw new SessionError('ERR_UNSAFE_PATH', `${path} exists, but is not a folder`, { path })
}

function makeFolder({ env }: StoreContext, folder: string): void {
  try {
    createFolder(folder, env)
  } catch (cause) {
    throw toSessionError(cause, 'create', folder)
  }
}
