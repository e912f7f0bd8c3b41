// The files of a store and their sizes, by purpose. Only known folders are listed, because the root
// may be a project. Links are not followed, and no file is opened.

import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { toReadError } from '../../errors.js'
import type { Unreadable } from '../catalog/session-info.js'
import { checkLimit } from '../check-options.js'
import type { StoreContext } from '../context.js'
import { listNames } from '../list-logs.js'

export type DiskKind =
  | 'transcripts'
  | 'sidechains'
  | 'checkpoints'
  | 'history'
  | 'file-history'
  | 'imports'
  | 'archive'
  | 'trash'
  | 'agents'
  | 'other'

export interface DiskFile {
  readonly path: string
  readonly kind: DiskKind
  readonly bytes: number
}

/** The disk space that a store uses. */
export interface DiskUsage {
  readonly bytes: number
  readonly fileCount: number
  /** The largest first, as with files. */
  readonly kinds: readonly { kind: DiskKind; bytes: number; fileCount: number }[]
  readonly files: readonly DiskFile[]
  readonly skipped: readonly Unreadable[]
}

export interface DiskUsageOptions {
  /**
   * Maximum number of files, the largest first.
   *
   * @default no limit
   */
  limit?: number | undefined
}

export function diskUsage(
  store: StoreContext,
  { limit = Number.POSITIVE_INFINITY }: DiskUsageOptions = {},
): DiskUsage {
  checkLimit(limit)
  const files: DiskFile[] = []
  const skipped: Unreadable[] = []
  for (const { kind, path } of listFolders(store)) {
    for (const file of filesAt(store, path, skipped)) files.push({ ...file, kind })
  }
  files.sort((one, other) => other.bytes - one.bytes || (one.path < other.path ? -1 : 1))
  return {
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    fileCount: files.length,
    kinds: sumsOf(files),
    files: files.slice(0, limit),
    skipped,
  }
}

function listFolders(store: StoreContext): { kind: DiskKind; path: string }[] {
  const { layout } = store
  const { root, home } = layout
  const histories = listNames(store, home).filter((name) => name.startsWith('history.'))
  return [
    { kind: 'transcripts', path: layout.transcripts },
    { kind: 'sidechains', path: layout.sidechains },
    { kind: 'checkpoints', path: layout.checkpoints },
    { kind: 'imports', path: layout.imports },
    { kind: 'archive', path: dirname(layout.archive.transcripts) },
    { kind: 'trash', path: dirname(layout.trash.transcripts) },
    { kind: 'agents', path: join(root, 'agents') },
    { kind: 'file-history', path: layout.fileHistory },
    { kind: 'other', path: layout.claims },
    { kind: 'other', path: layout.spool },
    { kind: 'other', path: layout.cache },
    { kind: 'other', path: layout.retentionPath },
    { kind: 'other', path: layout.relocationsPath },
    ...histories.map((name) => ({ kind: 'history' as const, path: join(home, name) })),
  ]
}

/** The file, or all files of the folder. */
function* filesAt(
  store: StoreContext,
  path: string,
  skipped: Unreadable[],
): Generator<{ path: string; bytes: number }, void, undefined> {
  let stats: Stats | undefined
  let names: string[] = []
  try {
    stats = store.env.fs.lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) names = store.env.fs.readdirSync(path)
  } catch (cause) {
    skipped.push({ path, reason: toReadError(cause, 'look at', path).message })
  }
  if (stats?.isFile()) yield { path, bytes: stats.size }
  for (const name of names) yield* filesAt(store, join(path, name), skipped)
}

function sumsOf(files: readonly DiskFile[]): DiskUsage['kinds'] {
  const sums = new Map<DiskKind, { kind: DiskKind; bytes: number; fileCount: number }>()
  for (const { kind, bytes } of files) {
    const sum = sums.get(kind) ?? { kind, bytes: 0, fileCount: 0 }
    sum.bytes += bytes
    sum.fileCount++
    sums.set(kind, sum)
  }
  return [...sums.values()].sort((one, other) => other.bytes - one.bytes)
}
