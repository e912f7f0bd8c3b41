// Which files are searched: those that were named, those of a project, or all of the store.

import { listHeaders } from '../catalog/list-sessions.js'
import { readLogSession } from '../catalog/log-session.js'
import type { Unreadable } from '../catalog/session-info.js'
import type { StoreContext } from '../context.js'
import { listChapters } from '../load/chapters.js'
import { listSidechains } from '../sidechains/list-sidechains.js'
import { findTranscript, listTranscripts } from '../transcripts.js'

export interface StoreFilesOptions {
  /** Only these sessions, each with the sessions that it continues, up to there. */
  sessions?: readonly string[] | undefined

  /** Only these files, and the sessions named in `sessions`. */
  files?: readonly string[] | undefined

  /**
   * Only sessions of this project.
   *
   * @default every project
   */
  project?: string | undefined

  /**
   * Also the logs of their subagents.
   *
   * @default false
   */
  sidechains?: boolean | undefined

  /** Called for every file that could not be read. */
  onSkipped?: ((skipped: Unreadable) => void) | undefined
}

export interface StoreFile {
  readonly path: string
  /** What follows this byte is not searched. */
  readonly end: number
  /** The caller named this file, so its absence is an error. */
  readonly isNamed: boolean
  /** Reads the file when it is called for the first time. */
  readSessionId(): string
}

/** Sorted by name, except those that were named. */
export function listStoreFiles(store: StoreContext, options: StoreFilesOptions): StoreFile[] {
  const { sessions, files, project, sidechains = false, onSkipped } = options
  if (sessions !== undefined || files !== undefined) {
    const found = (sessions ?? []).flatMap((session) => {
      // With what it continues: a resumed session begins in the file of its parent.
      const chapters = listChapters(store, findTranscript(store, session))
      const found = chapters.map(({ path, end, sessionId: id }) =>
        toFile(store, path, { id, end, isNamed: true }),
      )
      if (!sidechains) return found
      const children = listSidechains(store, { session: chapters.at(-1)!.sessionId }).sidechains
      return [...found, ...toChildren(store, children)]
    })
    const named = (files ?? []).map((path) => toFile(store, path, { isNamed: true }))
    return withoutRepeats([...found, ...named])
  }
  const transcripts = listOfProject(store, project, onSkipped)
  if (!sidechains) return transcripts
  const children = listSidechains(store)
  if (project === undefined) {
    for (const one of children.skipped) onSkipped?.(one)
    return [...transcripts, ...toChildren(store, children.sidechains)]
  }
  const owners = new Set<string | null>(transcripts.map((file) => file.readSessionId()))
  const own = children.sidechains.filter(({ parentSessionId: id }) => owners.has(id))
  return [...transcripts, ...toChildren(store, own)]
}

/** A file that several sessions begin in is searched once, as far as one of them needs it. */
function withoutRepeats(files: readonly StoreFile[]): StoreFile[] {
  const byPath = new Map<string, StoreFile>()
  for (const file of files) {
    const other = byPath.get(file.path)
    if (other === undefined || other.end < file.end) byPath.set(file.path, file)
  }
  return [...byPath.values()]
}

function listOfProject(
  store: StoreContext,
  project: string | undefined,
  onSkipped: StoreFilesOptions['onSkipped'],
): StoreFile[] {
  if (project === undefined) return listTranscripts(store).map((path) => toFile(store, path))
  const { sessions, skipped } = listHeaders(store, { project })
  for (const one of skipped) onSkipped?.(one)
  return sessions.map(({ path, sessionId: id }) => toFile(store, path, { id }))
}

function toChildren(
  store: StoreContext,
  sidechains: readonly { readonly path: string; readonly parentSessionId: string | null }[],
): StoreFile[] {
  return sidechains.map(({ path, parentSessionId: id }) => toFile(store, path, { id }))
}

function toFile(
  store: StoreContext,
  path: string,
  {
    id,
    isNamed = false,
    end = Number.MAX_SAFE_INTEGER,
  }: { id?: string | null; isNamed?: boolean; end?: number } = {},
): StoreFile {
  let known = id ?? undefined
  return {
    path,
    end,
    isNamed,
    readSessionId: () => {
      known ??= readLogSession(store, path)
      return known
    },
  }
}
