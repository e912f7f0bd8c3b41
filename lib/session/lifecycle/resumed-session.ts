// What a resume returns: the session to continue in, what the last one knew, and an empty ledger.
// Fields that need payloads are computed when they are first read.

import { basename } from 'node:path'
import {
  fieldsOf,
  findInterruptions,
  type Interruptions,
  type Message,
  messagesOf,
  TOOL_POLICIES,
  type ToolCall,
  type ToolPolicy,
  toolPolicyOf,
} from '../../chain/index.js'
import { isSessionError, SessionError } from '../../errors.js'
import { type Diagnostic, fileNameOf } from '../../format/index.js'
import { idOfFileName, type LoadedSession } from '../../store/index.js'
import { Lazy } from '../lazy.js'
import { PermissionLedger } from '../permission-ledger.js'
import type { Session } from '../session.js'

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
    degraded: projection.degraded || isAllLost(loaded),
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

/** It is written into the header of the new session, so it must be a known one. */
export function checkPolicy({ toolPolicy }: ToolOptions): void {
  if (toolPolicy === undefined || TOOL_POLICIES.includes(toolPolicy)) return
  throw new SessionError('ERR_ARG', `toolPolicy is synthesize, retry or drop, not "${toolPolicy}"`)
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
