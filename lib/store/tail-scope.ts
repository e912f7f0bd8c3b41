// Which files somebody follows: one log, a session and all that go on from it, a project, or every
// transcript of the store. A file is asked for its header once; one without is asked again.

import { dirname, join, resolve } from 'node:path'
import { isSessionError } from '../errors.js'
import { readLogSync } from '../log/index.js'
import { cachedNormalizer } from './catalog-folder.js'
import { layoutOf, type StoreOptions } from './layout.js'
import { logNamesIn } from './log-names.js'
import { selectProjects } from './project-scope.js'
import { refuseUnreadable } from './refuse-unreadable.js'
import { headerFields } from './session-digest-header.js'
import { findTranscript } from './transcripts.js'

export interface TailTarget extends StoreOptions {
  /** A session by its id or the beginning of it, and every session that was resumed from it. */
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
  readonly #only: string | undefined
  readonly #family: Set<string> | undefined
  readonly #isOfProject: (header: Header) => boolean
  readonly #headers = new Map<string, Header>()

  constructor({ session, file, project, ...store }: TailTarget) {
    const { transcripts } = layoutOf(store)
    const path = file === undefined ? undefined : resolve(file)
    const isForeign = path !== undefined && dirname(path) !== transcripts
    this.folder = isForeign ? dirname(path) : transcripts
    this.#only = isForeign ? path : undefined
    const root = path ?? (session === undefined ? undefined : findTranscript(session, store))
    // Whoever names one that cannot be read would wait for its rows in vain.
    if (root !== undefined) refuseUnreadable(root)
    this.#family = root === undefined || isForeign ? undefined : new Set([this.#idOf(root)])
    this.#isOfProject = projectFilter(project, store)
  }

  /** Whether rows may be of more than one session, so that each must say of which. */
  get isMany(): boolean {
    return this.#only === undefined && this.#family === undefined
  }

  /** In the order of their names. */
  listMembers(): string[] {
    if (this.#only !== undefined) return [this.#only]
    const paths = logNamesIn(this.folder).map((name) => join(this.folder, name))
    if (this.#family === undefined) return paths.filter((path) => this.has(path))
    // One that goes on from a session that goes on from ours is found once that one is.
    for (let before = -1; before !== this.#family.size; ) {
      before = this.#family.size
      for (const path of paths) this.has(path)
    }
    return paths.filter((path) => this.has(path))
  }

  has(path: string): boolean {
    if (this.#only !== undefined) return path === this.#only
    const header = this.#headerOf(path)
    // Nobody can tell yet whose it is; without a filter it is ours all the same.
    if (header === undefined) return false
    const family = this.#family
    if (family === undefined) return this.#isOfProject(header)
    const { session_id, resumedFrom } = header
    if (resumedFrom !== null && family.has(resumedFrom.session_id)) family.add(session_id)
    return family.has(session_id)
  }

  sessionOf(path: string): string | null {
    return this.#headerOf(path)?.session_id ?? null
  }

  #idOf(path: string): string {
    return this.#headerOf(path)?.session_id ?? headerFields(path, undefined).session_id
  }

  #headerOf(path: string): Header | undefined {
    const known = this.#headers.get(path)
    if (known !== undefined) return known
    const header = readHeader(path)
    if (header !== undefined) this.#headers.set(path, header)
    return header
  }
}

/** `undefined` while the file holds no event. */
function readHeader(path: string): Header | undefined {
  try {
    for (const entry of readLogSync(path, { to: HEADER_BYTES })) {
      if (entry.kind === 'event') return headerFields(path, entry.event)
      // A first line that is damaged, or longer than anybody's header: its name has to do.
      if (entry.kind === 'damage') return headerFields(path, undefined)
    }
  } catch (error) {
    if (!isSessionError(error)) throw error
  }
  return undefined
}

function projectFilter(project: string | undefined, store: StoreOptions) {
  if (project === undefined) return () => true
  const selected = selectProjects({ ...store, project })
  const normalize = cachedNormalizer()
  return ({ project: named, projectNormalized }: Header): boolean => {
    const recorded = projectNormalized ?? (named === null ? null : normalize(named))
    return selected.has(recorded) || selected.has(named)
  }
}
