// What eats the disk: every file of the store, by what it is for. Only known places are looked at,
// because a store may lie in somebody's project. Links are not followed, and nothing is opened.

import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { toReadError } from '../errors.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { checkLimit } from './limit.js'
import { namesIn } from './log-names.js'
import type { Skipped } from './session-digest.js'

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

export interface DiskUsage {
  readonly bytes: number
  readonly fileCount: number
  /** The largest first, as with files. */
  readonly kinds: readonly { kind: DiskKind; bytes: number; fileCount: number }[]
  readonly files: readonly DiskFile[]
  readonly skipped: readonly Skipped[]
}

export interface DiskUsageOptions extends StoreOptions {
  /**
   * At most so many files, the largest of them.
   *
   * @default no limit
   */
  limit?: number | undefined
}

export function diskUsage({
  limit = Number.POSITIVE_INFINITY,
  ...store
}: DiskUsageOptions = {}): DiskUsage {
  checkLimit(limit)
  const files: DiskFile[] = []
  const skipped: Skipped[] = []
  for (const { kind, path } of placesOf(store)) {
    for (const file of filesAt(path, skipped)) files.push({ ...file, kind })
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

function placesOf(store: StoreOptions): { kind: DiskKind; path: string }[] {
  const layout = layoutOf(store)
  const { root, home } = layout
  const histories = namesIn(home).filter((name) => name.startsWith('history.'))
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
    { kind: 'other', path: layout.retentionPath },
    { kind: 'other', path: layout.relocationsPath },
    ...histories.map((name) => ({ kind: 'history' as const, path: join(home, name) })),
  ]
}

/** The file, or all files of the folder; none where nothing is. */
function* filesAt(
  path: string,
  skipped: Skipped[],
): Generator<{ path: string; bytes: number }, void, undefined> {
  let stats: Stats | undefined
  let names: string[] = []
  try {
    stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) names = readdirSync(path)
  } catch (cause) {
    skipped.push({ path, reason: toReadError(cause, 'look at', path).message })
  }
  if (stats?.isFile()) yield { path, bytes: stats.size }
  for (const name of names) yield* filesAt(join(path, name), skipped)
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
