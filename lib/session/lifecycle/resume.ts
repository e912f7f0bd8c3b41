// Resume: what the last session knew, and a session to continue in. Permissions start empty, on
// purpose.
//
// By default a new session is created that names its parent, because two processes may resume the
// same one at the same time and each must own its file. The old file is only read.

import { basename } from 'node:path'
import {
  assertToolPolicy,
  fieldsOf,
  findInterruptions,
  type Interruptions,
  type Message,
  messagesOf,
  type ToolCall,
  type ToolPolicy,
  toolPolicyOf,
} from '../../chain/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { type Diagnostic, fileNameOf } from '../../format/index.js'
import { openLog } from '../../log/index.js'
import { syncLog } from '../../log/internal.js'
import {
  findNewestSession,
  idOfFileName,
  type LoadedSession,
  type LoadOptions,
  loadSession,
  type StoreContext,
} from '../../store/index.js'
import { inheritedFacts, newHeader, resumedEvent, type SessionFacts } from '../header.js'
import { Lazy } from '../lazy.js'
import { MetaKeeper, observersFor, SessionView } from '../live-view.js'
import { PermissionLedger } from '../permission-ledger.js'
import type { Session } from '../session.js'
import { assertSessionOptions, logOptionsOf, type SessionOptions } from '../settings.js'
import { resolveEmptySession, storageOnDisk, transcriptOf } from '../storage.js'
import { assembleSession, createFrom } from './create.js'

export interface ResumeOptions extends SessionOptions, SessionFacts, ToolOptions {
  /**
   * The id of the session.
   *
   * @default the newest session of the project
   */
  id?: string | undefined
  /**
   * - `new`: a new session that continues the old one
   * - `append`: continue in the same file; for hosts that keep their id
   * - `inspect`: nothing is written
   *
   * @default 'new'
   */
  mode?: 'new' | 'append' | 'inspect' | undefined
  /**
   * Continue from this event.
   *
   * @default the newest event
   */
  at?: string | undefined
  /**
   * Throw ERR_DAMAGED where something is missing, instead of reporting it in `diagnostics`.
   *
   * @default false
   */
  strict?: boolean | undefined
  /**
   * The id of the new session.
   *
   * @default a new random uuid
   */
  newId?: string | undefined
  /**
   * In mode `append`, write no `session_resumed` event: for tools that append something of their
   * own.
   *
   * @default false
   */
  quiet?: boolean | undefined
}

/**
 * Resumes a session. Throws ERR_NOT_FOUND where there is none. With `bytesMax` it reads no more of a
 * longer context, for callers that only show or close it.
 */
export async function resumeSession(
  store: StoreContext,
  options: ResumeOptions = {},
  { bytesMax }: Pick<LoadOptions, 'bytesMax'> = {},
): Promise<ResumedSession> {
  const { mode = 'new', at } = options
  if (!['new', 'append', 'inspect'].includes(mode)) {
    throw new SessionError('ERR_ARG', `mode must be new, append or inspect, not "${mode}"`)
  }
  if (mode === 'append' && at !== undefined) {
    throw new SessionError(
      'ERR_ARG',
      'To continue from an older event in the same file, rewind to it',
    )
  }
  if (mode === 'append' && options.persist === false) {
    throw new SessionError('ERR_ARG', 'With persist: false nothing is appended; use mode new')
  }
  // It is written into the header of the new session, so it must be a known one.
  assertToolPolicy(options.toolPolicy)
  assertSessionOptions(options)
  const path = findPath(store, options)
  if (mode === 'append') return resumeInPlace(store, path, options, bytesMax)
  const reading = { at, lazyPayloads: true, bytesMax }
  const loaded = resolveEmptySession(store, loadSession(store, path, reading), reading)
  rejectDegraded(loaded, options)
  if (mode === 'inspect') return resumedOf(loaded, options, undefined)
  const { sessionId, tipUuid, tipOffset, transcriptPath } = originOf(loaded)
  // The new session is synced, so what it continues must be on the disk before it is named.
  if (options.persist !== false && options.durability !== 'none') syncLog(loaded.path, store.env)
  const session = await createFrom(
    store,
    {
      ...options,
      ...factsToContinue(loaded, options),
      id: options.newId,
      previousSessionKey: sessionId,
    },
    {
      resumed_from: {
        session_id: sessionId,
        tip_uuid: tipUuid,
        tip_offset: tipOffset,
        transcript_path: transcriptPath,
      },
      tool_policy: policyOf(loaded, options),
      start: loaded.continuation,
    },
  )
  return resumedOf(loaded, options, session)
}

function findPath(store: StoreContext, options: ResumeOptions): string {
  if (options.id !== undefined) return transcriptOf(store, options.id)
  const { project } = options
  const newest = findNewestSession(store, { project })
  if (newest !== undefined) return newest.path
  const searched = store.layout.transcripts
  const whose = project === undefined ? '' : ` of ${project}`
  const what = `No session${whose} to resume in ${searched}`
  throw new SessionError('ERR_NOT_FOUND', what, { searched, project })
}

async function resumeInPlace(
  store: StoreContext,
  path: string,
  options: ResumeOptions,
  bytesMax: number | undefined,
): Promise<ResumedSession> {
  const storage = storageOnDisk(store, path)
  const view = new SessionView(path, storage.load)
  const meta = new MetaKeeper()
  const log = await openLog(path, { ...logOptionsOf(store, options), ...observersFor(view, meta) })
  try {
    // Read under the lock: no other process can append to it.
    const loaded = loadSession(store, path, { lazyPayloads: true, bytesMax })
    rejectDegraded(loaded, options)
    view.replace(loaded)
    meta.learn(store, path)
    const id = sessionIdOf(loaded)
    const parts = { id, project: projectOf(loaded), log, view, meta, storage, isNew: false }
    const session = assembleSession(store, parts, options)
    const result = resumedOf(loaded, options, session)
    if (options.quiet === true) return result
    // Its process was killed before the header was written; this one writes it.
    if (log.size === 0) {
      await log.append(newHeader(store, id, options))
      return result
    }
    const lastTs = loaded.events.at(-1)?.event.ts
    await log.append(resumedEvent('resume', { now: store.env.now(), lastTs }))
    return result
  } catch (error) {
    await log.close().catch(() => {})
    throw error
  }
}

/** A new session takes over the project, and what the caller does not say. */
function factsToContinue({ header }: LoadedSession, options: ResumeOptions): SessionFacts {
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

function rejectDegraded(loaded: LoadedSession, { strict = false }: ResumeOptions): void {
  if (!strict) return
  const finding = loaded.diagnostics.find(({ severity }) => severity !== 'info')
  if (finding === undefined && !loaded.log.projection.degraded) return
  const reason = finding?.code ?? 'degraded'
  throw new SessionError('ERR_DAMAGED', `${loaded.path} cannot be resumed in full (${reason})`, {
    path: loaded.path,
    reason,
  })
}

export interface ToolOptions {
  /**
   * What becomes of tool calls without a result.
   *
   * @default the policy of the session, else 'synthesize'
   */
  toolPolicy?: ToolPolicy | undefined
  /** Which open calls may be run again, besides those that are marked idempotent. */
  isRetryable?: ((call: ToolCall) => boolean) | undefined
}

/** The result of a resume in mode `new` or `append`: there is a session to continue in. */
export interface ContinuedSession extends ResumedSession {
  readonly session: Session
}

/** The result of a resume in mode `inspect`. */
export interface InspectedSession extends ResumedSession {
  readonly session: undefined
}

/** Resumes a session. What it returns depends on the mode. */
export interface ResumeSession<Others = unknown> {
  (options: ResumeOptions & Others & { mode: 'inspect' }): Promise<InspectedSession>
  (
    options?: ResumeOptions & Others & { mode?: 'new' | 'append' | undefined },
  ): Promise<ContinuedSession>
  (options?: ResumeOptions & Others): Promise<ResumedSession>
}

/** The result of a resume: the session to continue, and what the model sees. */
export interface ResumedSession {
  /** The session to continue in; `undefined` in mode `inspect`. */
  readonly session: Session | undefined
  readonly sessionId: string
  readonly transcriptPath: string
  readonly resumedFrom: {
    readonly sessionId: string
    readonly tipUuid: string | null
    readonly tipOffset: number | null
    readonly transcriptPath: string
  }
  /** What the model sees. Computed when first read, as are the next two. */
  readonly messages: readonly Message[]
  readonly interruption: Interruptions
  readonly retry: readonly ToolCall[]
  readonly degraded: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** The bytes before this offset were not read. */
  readonly readFrom: number
  /** Empty, whatever was allowed before. Not enumerable, so that it is never printed. */
  readonly permissions: PermissionLedger
}

/** There was a session, but no event of it is readable. */
function isAllLost({ events, diagnostics }: LoadedSession): boolean {
  return events.length === 0 && diagnostics.some(({ severity }) => severity === 'error')
}

export function resumedOf(
  loaded: LoadedSession,
  options: ToolOptions,
  session: Session | undefined,
): ResumedSession {
  const { projection } = loaded.log
  const toolPolicy = policyOf(loaded, options)
  const { isRetryable } = options
  const repaired = new Lazy(() => messagesOf(projection, { toolPolicy, isRetryable }))
  const interruption = new Lazy(() => findInterruptions(projection, { isRetryable }))
  // A caller that only continues to write parses no payload.
  const result: Omit<ResumedSession, 'permissions'> = {
    session,
    sessionId: session?.id ?? sessionIdOf(loaded),
    transcriptPath: session?.path ?? loaded.path,
    resumedFrom: originOf(loaded),
    get messages() {
      return repaired.value.messages
    },
    get interruption() {
      return interruption.value
    },
    get retry() {
      return toolPolicy === 'retry' ? interruption.value.retry : []
    },
    degraded: projection.degraded || !projection.complete || isAllLost(loaded),
    get diagnostics() {
      return [...loaded.diagnostics, ...repaired.value.diagnostics]
    },
    readFrom: loaded.readFrom,
  }
  const permissions = session?.permissions ?? new PermissionLedger()
  return Object.defineProperty(result, 'permissions', { value: permissions }) as ResumedSession
}

export function originOf(loaded: LoadedSession): ResumedSession['resumedFrom'] {
  const last = loaded.log.path.at(-1)
  return {
    sessionId: parentIdOf(loaded),
    tipUuid: last?.event.uuid ?? null,
    tipOffset: last?.byte_offset ?? null,
    transcriptPath: loaded.path,
  }
}

export function policyOf({ header }: LoadedSession, { toolPolicy }: ToolOptions): ToolPolicy {
  return toolPolicy ?? toolPolicyOf(header) ?? 'synthesize'
}

export function sessionIdOf({ header, path }: LoadedSession): string {
  const id = fieldsOf(header?.payload)['session_id']
  return typeof id === 'string' ? id : idOfFileName(path)
}

/**
 * The id by which the next reader finds this very file. The header of a transcript that was copied
 * by hand names the original, which may lack the events of the copy.
 */
function parentIdOf(loaded: LoadedSession): string {
  const id = sessionIdOf(loaded)
  return isNamedBy(loaded.path, id) ? id : idOfFileName(loaded.path)
}

function isNamedBy(path: string, id: string): boolean {
  try {
    return basename(path, '.jsonl') === fileNameOf(id)
  } catch (error) {
    if (isSessionError(error, 'ERR_ARG')) return false
    throw error
  }
}
