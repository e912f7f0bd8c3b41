// Which files are looked through: those that were named, those of a project, or all of the store.

import { listHeaders } from './catalog-headers.js'
import type { StoreOptions } from './layout.js'
import { isSkipped, type Skipped } from './session-digest.js'
import { EventReader, fieldsOf, textOf } from './session-digest-events.js'
import { lookInto } from './session-digest-file.js'
import { readHeader } from './session-digest-head.js'
import { idOfFileName } from './session-digest-header.js'
import { readHead } from './session-digest-windows.js'
import { listSidechains } from './sidechains.js'
import { findTranscript, listTranscripts } from './transcripts.js'

export interface StoreFilesOptions extends StoreOptions {
  /** Only these sessions, each by its id or the beginning of it. */
  sessions?: readonly string[] | undefined

  /** Only these files, and the sessions named beside them. */
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

  /** Is told of every file that could not be looked into. */
  onSkipped?: ((skipped: Skipped) => void) | undefined
}

export interface StoreFile {
  readonly path: string
  /** Somebody asked for this very file, so its absence is worth an error. */
  readonly isNamed: boolean
  /** Looks into the file when it is asked for the first time. */
  session_id(): string
}

/** In the order of their names, but for those that were named. */
export function listStoreFiles(options: StoreFilesOptions): StoreFile[] {
  const { sessions, files, project } = options
  if (sessions !== undefined || files !== undefined) return namedFiles(options)
  const transcripts = project === undefined ? allOf(options) : ofProject(options, project)
  if (!options.sidechains) return transcripts
  const owners =
    project === undefined ? undefined : new Set(transcripts.map((file) => file.session_id()))
  return [...transcripts, ...childrenOf(options, owners)]
}

function namedFiles(options: StoreFilesOptions): StoreFile[] {
  const { root, home, agent, sessions = [], files = [], sidechains = false } = options
  const store = { root, home, agent }
  const found = sessions.flatMap((session) => {
    const file = fileOf(findTranscript(session, store), { isNamed: true })
    if (!sidechains) return [file]
    const children = listSidechains({ ...store, session: file.session_id() }).sidechains
    return [
      file,
      ...children.map(({ path, parent_session_id }) => fileOf(path, { id: parent_session_id })),
    ]
  })
  return [...found, ...files.map((path) => fileOf(path, { isNamed: true }))]
}

function allOf(options: StoreFilesOptions): StoreFile[] {
  return listTranscripts(options).map((path) => fileOf(path))
}

function ofProject(
  { root, home, agent, onSkipped }: StoreFilesOptions,
  project: string,
): StoreFile[] {
  const found = listHeaders({ root, home, agent, project })
  for (const skipped of found.skipped) onSkipped?.(skipped)
  return found.sessions.map(({ path, session_id }) => fileOf(path, { id: session_id }))
}

function childrenOf(
  { root, home, agent, onSkipped }: StoreFilesOptions,
  owners: ReadonlySet<string> | undefined,
): StoreFile[] {
  const { sidechains, skipped } = listSidechains({ root, home, agent })
  if (owners === undefined) for (const one of skipped) onSkipped?.(one)
  return sidechains
    .filter(({ parent_session_id: id }) => owners === undefined || (id !== null && owners.has(id)))
    .map(({ path, parent_session_id }) => fileOf(path, { id: parent_session_id }))
}

function fileOf(
  path: string,
  { id, isNamed = false }: { id?: string | null; isNamed?: boolean } = {},
): StoreFile {
  let known = id ?? undefined
  return {
    path,
    isNamed,
    session_id: () => {
      known ??= idAt(path)
      return known
    },
  }
}

/** As its header says, from the first 4 KiB: many files with hits are looked into for it. */
function idAt(path: string): string {
  const found = lookInto(path, (fd, size) => {
    const { header } = readHeader(fd, size, readHead(fd, size), new EventReader())
    const { session_id, parent_session_id } = fieldsOf(header?.payload)
    return { id: textOf(session_id) ?? textOf(parent_session_id) }
  })
  return (isSkipped(found) ? null : found.id) ?? idOfFileName(path)
}
