// What a resume hands over: where to go on, what the last session knew, and an empty ledger. What
// takes payloads to know is made when it is first asked for.

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
} from '../chain/index.js'
import { isSessionError, SessionError } from '../errors.js'
import { type Diagnostic, fileNameOf } from '../format/index.js'
import { idOfFileName, type LoadedSession } from '../store/index.js'
import { PermissionLedger } from './permission-ledger.js'
import type { Session } from './session.js'

export interface ToolOptions {
  /**
   * What becomes of tool calls without a result.
   *
   * @default the policy of the session, else 'synthesize'
   */
  toolPolicy?: ToolPolicy | undefined
  /** Which open calls may be run again, beside those that say they are idempotent. */
  isRetryable?: ((call: ToolCall) => boolean) | undefined
}

export interface ResumedSession {
  /** Where to go on; `undefined` in mode `inspect`. */
  readonly session: Session | undefined
  readonly session_id: string
  readonly transcript_path: string
  readonly resumed_from: {
    readonly session_id: string
    readonly tip_uuid: string | null
    readonly tip_offset: number | null
    readonly transcript_path: string
  }
  /** Made when first asked for, as are the three below it; payloads are not parsed before. */
  readonly messages: readonly Message[]
  readonly interruption: Interruptions
  readonly retry: readonly ToolCall[]
  readonly degraded: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** Everything before this byte was not read. */
  readonly readFrom: number
  /** Empty, whatever was allowed before. Not enumerable: it is never printed along. */
  readonly permissions: PermissionLedger
}

/** Not one event is whole, and lines are damaged: there was a session, and nothing is left of it. */
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
  const repaired = once(() => messagesOf(projection, { toolPolicy, isRetryable }))
  const interruption = once(() => findInterruptions(projection, { isRetryable }))
  // Whoever only goes on writing pays for no payload.
  const result: Omit<ResumedSession, 'permissions'> = {
    session,
    session_id: session?.id ?? sessionIdOf(loaded),
    transcript_path: session?.path ?? loaded.path,
    ...originOf(loaded),
    get messages() {
      return repaired().messages
    },
    get interruption() {
      return interruption()
    },
    get retry() {
      return toolPolicy === 'retry' ? interruption().retry : []
    },
    degraded: projection.isDegraded || isAllLost(loaded),
    get diagnostics() {
      return [...loaded.diagnostics, ...repaired().diagnostics]
    },
    readFrom: loaded.readFrom,
  }
  const permissions = session?.permissions ?? new PermissionLedger()
  return Object.defineProperty(result, 'permissions', { value: permissions }) as ResumedSession
}

export function originOf(loaded: LoadedSession) {
  const last = loaded.log.path.at(-1)
  return {
    resumed_from: {
      session_id: parentIdOf(loaded),
      tip_uuid: last?.event.uuid ?? null,
      tip_offset: last?.byte_offset ?? null,
      transcript_path: loaded.path,
    },
  }
}

/** It is written into the header of the session that goes on, so it must be one. */
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
 * The id by which the next reader finds this very file. A transcript that somebody copied says the
 * id of the one it was copied from, which need not hold what was said since.
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

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
