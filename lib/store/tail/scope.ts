// Which files are followed: one log, a session and all that continue it, a project, or every
// transcript of the store. The header of a file is read once; a file without one is read again.

import { dirname, join, resolve } from 'node:path'
import { isSessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import { readLogSync } from '../../log/index.js'
import { endOfLines } from '../../log/internal.js'
import { headerFields } from '../catalog/header-fields.js'
import { projectFilter } from '../catalog/list-sessions.js'
import type { StoreContext } from '../context.js'
import { listLogNames } from '../list-logs.js'
import { findTranscript } from '../transcripts.js'

export interface TailTarget {
  /** A session, and every session that continues it. With `follow` it may begin later. */
  session?: string | undefined
  /** One log file. A transcript of the store counts as its session. */
  file?: string | undefined
  /** Every session of this project. */
  project?: string | undefined
}

type Header = ReturnType<typeof headerFields>

const HEADER_BYTES = 64 * 1024

export class TailScope {
  /** The folder to be watched. */
  readonly folder: string
  /** The session has no transcript yet. */
  readonly isMissing: boolean
  readonly #store: StoreContext
  readonly #only: string | undefined
  readonly #family: Set<string> | undefined
  readonly #isOfProject: (header: Header) => boolean
  readonly #headers = new Map<string, Header>()

  /** With `isAwaited` a session may begin later. */
  constructor(
    store: StoreContext,
    { session, file, project }: TailTarget,
    { isAwaited }: { readonly isAwaited: boolean },
  ) {
    const { transcripts } = store.layout
    this.#store = store
    const path = file === undefined ? undefined : resolve(file)
    const isForeign = path !== undefined && dirname(path) !== transcripts
    this.folder = isForeign ? dirname(path) : transcripts
    this.#only = isForeign ? path : undefined
    const root = path ?? (session === undefined ? undefined : findRoot(store, session, isAwaited))
    // The caller would wait in vain for entries of a file that cannot be read.
    if (root !== undefined) endOfLines(root, store.env)
    this.isMissing = root === undefined && session !== undefined
    this.#family = isForeign ? undefined : this.#familyOf(root, session)
    this.#isOfProject = projectFilter(store, { project })
  }

  /** Whether entries may be of more than one session. */
  get isMany(): boolean {
    return this.#only === undefined && this.#family === undefined
  }

  /** Sorted by name. */
  listMembers(): string[] {
    if (this.#only !== undefined) return [this.#only]
    const paths = listLogNames(this.#store, this.folder).map((name) => join(this.folder, name))
    if (this.#family === undefined) return paths.filter((path) => this.has(path))
    // A session that continues a continued one is found after that one.
    for (let before = -1; before !== this.#family.size; ) {
      before = this.#family.size
      for (const path of paths) this.has(path)
    }
    return paths.filter((path) => this.has(path))
  }

  has(path: string): boolean {
    if (this.#only !== undefined) return path === this.#only
    const header = this.#headerOf(path)
    // Its session is not known yet.
    if (header === undefined) return false
    const family = this.#family
    if (family === undefined) return this.#isOfProject(header)
    const { sessionId, resumedFrom } = header
    if (resumedFrom !== null && family.has(resumedFrom.sessionId)) family.add(sessionId)
    return family.has(sessionId)
  }

  sessionOf(path: string): string | null {
    return this.#headerOf(path)?.sessionId ?? null
  }

  #familyOf(root: string | undefined, session: string | undefined): Set<string> | undefined {
    if (root !== undefined) return new Set([this.#idOf(root)])
    return session === undefined ? undefined : new Set([normalizeSessionKey(session)])
  }

  #idOf(path: string): string {
    return this.#headerOf(path)?.sessionId ?? headerFields(path, undefined).sessionId
  }

  #headerOf(path: string): Header | undefined {
    const known = this.#headers.get(path)
    if (known !== undefined) return known
    const header = readHeader(this.#store, path)
    if (header !== undefined) this.#headers.set(path, header)
    return header
  }
}

/** `undefined` where the session has not begun yet. */
function findRoot(store: StoreContext, session: string, isAwaited: boolean): string | undefined {
  try {
    return findTranscript(store, session)
  } catch (error) {
    if (isAwaited && isSessionError(error, 'ERR_NOT_FOUND')) return undefined
    throw error
  }
}

/** `undefined` while the file has no event. */
function readHeader({ env }: StoreContext, path: string): Header | undefined {
  try {
    for (const entry of readLogSync(path, { to: HEADER_BYTES, environment: env })) {
      if (entry.kind === 'event') return headerFields(path, entry.event)
      // The first line is damaged or too long for a header, so the name of the file is used.
      if (entry.kind === 'damage') return headerFields(path, undefined)
    }
  } catch (error) {
    if (!isSessionError(error)) throw error
  }
  return undefined
}
