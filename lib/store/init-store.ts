// Sets up a store before anything is written into it, and keeps it out of version control. What
// exists is left as it is; git itself is never run.

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SessionError, toSessionError } from '../errors.js'
import { createFolder } from '../log/inside.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { repositoryOf } from './repository.js'
import { readSettingsFile, type SettingsFile, writeSettingsFile } from './settings-file.js'

export interface InitStoreOptions extends StoreOptions {
  /**
   * Tells what would be done, and does nothing.
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
  readonly root: string
  readonly home: string
  /** Folders that were not there. */
  readonly created: readonly string[]
  /** Of the folders that lie in a git work tree: what keeps logs out of it. */
  readonly ignored: readonly IgnoredLines[]
  /** Nothing was missing. */
  readonly isComplete: boolean
  readonly isApplied: boolean
}

const HEADING = '# jsonl-session: what was said stays out of version control'

// The folders in any depth, for each agent has its own; files only where they belong.
const IN_ROOT = [
  '.transcripts/',
  '.sidechains/',
  '.checkpoints/',
  '.claims/',
  '.spool/',
  '.archive/',
  '.trash/',
  '.imports/',
  '/relocations.jsonl*',
  '/retention.jsonl*',
]
const IN_HOME = ['/history.jsonl*', '/history.sweep.json*', 'file-history/']

/** Harmless to repeat. */
export function initStore({ dryRun = false, ...options }: InitStoreOptions = {}): InitializedStore {
  const layout = layoutOf(options)
  const { root, home, transcripts, sidechains, checkpoints } = layout
  const wanted = [...new Set([root, transcripts, sidechains, checkpoints, home])]
  const created = wanted.filter(isMissingFolder)
  const base = layoutOf({ ...options, agent: undefined }).root
  const changes = ignoreChanges(base, home)
  if (!dryRun) {
    for (const folder of created) makeFolder(folder)
    for (const { file, text } of changes) writeSettingsFile(file, text, { isShared: true })
  }
  const ignored = changes.map(({ file, added }) => ({ path: file.path, added }))
  const isComplete = created.length === 0 && ignored.length === 0
  return { root, home, created, ignored, isComplete, isApplied: !dryRun }
}

interface IgnoreChange {
  readonly file: SettingsFile
  readonly added: readonly string[]
  readonly text: string
}

function ignoreChanges(root: string, home: string): IgnoreChange[] {
  const wanted = new Map<string, readonly string[]>()
  if (isInWorkTree(root)) wanted.set(root, IN_ROOT)
  if (isInWorkTree(home)) wanted.set(home, [...(wanted.get(home) ?? []), ...IN_HOME])
  return [...wanted].flatMap(([folder, lines]) => ignoreChange(folder, lines) ?? [])
}

function ignoreChange(folder: string, lines: readonly string[]): IgnoreChange | undefined {
  const file = readSettingsFile(join(folder, '.gitignore'))
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

/** Also of a folder that is still to be made. */
function isInWorkTree(folder: string): boolean {
  let nearest = folder
  while (statSync(nearest, { throwIfNoEntry: false }) === undefined) {
    if (dirname(nearest) === nearest) return false
    nearest = dirname(nearest)
  }
  return repositoryOf(nearest) !== undefined
}

function isMissingFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return true
  if (stats.isDirectory()) return false
  throw new SessionError('ERR_UNSAFE_PATH', `${path} is there, and not a folder`, { path })
}

function makeFolder(folder: string): void {
  try {
    createFolder(folder)
  } catch (cause) {
    throw toSessionError(cause, 'create', folder)
  }
}
