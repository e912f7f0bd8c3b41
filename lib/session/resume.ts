// Resume: what the last session knew, and a session to go on in. Permissions start empty; that
// friction is the safety.
//
// By default a new session is made that names its parent, because two processes may resume the
// same one at once and each must own its file. The old file is only read.

import { SessionError } from '../errors.js'
import { openLog } from '../log/index.js'
import {
  findNewestSession,
  type Layout,
  type LoadedSession,
  layoutOf,
  loadSession,
  titleIn,
} from '../store/index.js'
import { createFrom } from './create.js'
import { inheritedFacts, type SessionFacts } from './header.js'
import { sessionOf, watchedBy } from './open.js'
import {
  checkPolicy,
  originOf,
  policyOf,
  type ResumedSession,
  resumedOf,
  sessionIdOf,
  type ToolOptions,
} from './resumed-session.js'
import { logOptionsOf, type SessionOptions } from './settings.js'
import { skipEmpty } from './skip-empty.js'
import { storageOnDisk, transcriptOf } from './storage.js'
import { TitleKeeper } from './title.js'
import { SessionView } from './view.js'

export interface ResumeOptions extends SessionOptions, SessionFacts, ToolOptions {
  /** The session, or four or more letters it begins with; default: the newest of the project. */
  id?: string | undefined
  /**
   * - `new`: a new session that continues the old one
   * - `append`: the same file goes on; for hosts that keep their id
   * - `inspect`: nothing is written
   *
   * @default 'new'
   */
  mode?: 'new' | 'append' | 'inspect' | undefined
  /** Continue from this event instead of the newest. */
  at?: string | undefined
  /** Throw ERR_DAMAGED where something is missing, instead of saying so. */
  strict?: boolean | undefined
  /** The id of the new session. */
  newId?: string | undefined
  /**
   * In mode `append`, leave no line that says so: for tools that add something of their own.
   *
   * @default false
   */
  isQuiet?: boolean | undefined
}

export async function resumeSession(options: ResumeOptions = {}): Promise<ResumedSession> {
  const { mode = 'new', at } = options
  if (!['new', 'append', 'inspect'].includes(mode)) {
    throw new SessionError('ERR_ARG', `mode is new, append or inspect, not "${mode}"`)
  }
  if (mode === 'append' && at !== undefined) {
    throw new SessionError('ERR_ARG', 'To go on from an older event in the same file, rewind to it')
  }
  if (mode === 'append' && options.persist === false) {
    throw new SessionError('ERR_ARG', 'With persist: false nothing is appended; use mode new')
  }
  checkPolicy(options)
  const layout = layoutOf(options)
  const path = pathToResume(options)
  if (mode === 'append') return resumeInPlace(path, layout, options)
  const loaded = skipEmpty(loadSession(path, { layout, at, lazyPayloads: true }), layout)
  refuseDegraded(loaded, options)
  if (mode === 'inspect') return resumedOf(loaded, options, undefined)
  const { resumed_from } = originOf(loaded)
  const session = await createFrom(
    {
      ...options,
      ...factsToGoOnWith(loaded, options),
      id: options.newId,
      previousSessionKey: resumed_from.session_id,
    },
    {
      resumed_from,
      tool_policy: policyOf(loaded, options),
      start: loaded.continuation,
    },
  )
  return resumedOf(loaded, options, session)
}

function pathToResume(options: ResumeOptions): string {
  if (options.id !== undefined) return transcriptOf(options.id, options)
  const newest = findNewestSession(options)
  if (newest !== undefined) return newest.path
  const where = layoutOf(options).transcripts
  const whose = options.project === undefined ? '' : ` of ${options.project}`
  throw new SessionError('ERR_NOT_FOUND', `No session${whose} to resume in ${where}`, {
    searched: where,
    project: options.project,
  })
}

async function resumeInPlace(
  path: string,
  layout: Layout,
  options: ResumeOptions,
): Promise<ResumedSession> {
  const storage = storageOnDisk(path, layout)
  const view = new SessionView(path, storage.load)
  const title = new TitleKeeper()
  const log = await openLog(path, { ...logOptionsOf(options), ...watchedBy(view, title) })
  try {
    // Read only now: under the lease nobody else can add to it.
    const loaded = loadSession(path, { layout, lazyPayloads: true })
    refuseDegraded(loaded, options)
    view.take(loaded)
    learnTitle(title, path)
    const id = sessionIdOf(loaded)
    const project = projectOf(loaded)
    const session = sessionOf({ id, project, log, view, title, storage, isNew: false }, options)
    const result = resumedOf(loaded, options, session)
    if (options.isQuiet === true) return result
    const now = options.environment?.now?.() ?? Date.now()
    const gap = now - Date.parse(lastTimeOf(loaded))
    await log.append({
      type: 'session_resumed',
      payload: {
        at_ts: new Date(now).toISOString(),
        source: 'resume',
        gap_ms: Number.isFinite(gap) && gap > 0 ? Math.round(gap) : 0,
      },
    })
    return result
  } catch (error) {
    await log.close().catch(() => {})
    throw error
  }
}

function learnTitle(title: TitleKeeper, path: string): void {
  const line = titleIn(path)
  if (line === undefined) return
  const { type, payload } = line
  title.observe({ type, ts: '', uuid: '', prev_uuid: null, payload }, 0)
}

/** What a new session takes over from the old one: its project, and what the caller does not say. */
function factsToGoOnWith({ header }: LoadedSession, options: ResumeOptions): SessionFacts {
  const { project, harness, kind } = inheritedFacts(header?.payload)
  return {
    project: project ?? options.project,
    harness: options.harness ?? harness,
    kind: options.kind ?? kind,
  }
}

function projectOf({ header }: LoadedSession): string | undefined {
  const { projectNormalized, project } = inheritedFacts(header?.payload)
  return projectNormalized ?? project
}

function lastTimeOf({ events }: LoadedSession): string {
  return events.at(-1)?.event.ts ?? ''
}

function refuseDegraded(loaded: LoadedSession, { strict = false }: ResumeOptions): void {
  if (!strict) return
  const finding = loaded.diagnostics.find(({ severity }) => severity !== 'info')
  if (finding === undefined && !loaded.log.projection.isDegraded) return
  const reason = finding?.code ?? 'degraded'
  throw new SessionError('ERR_DAMAGED', `${loaded.path} cannot be resumed as it was (${reason})`, {
    path: loaded.path,
    reason,
  })
}
