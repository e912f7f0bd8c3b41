// What all hook routes have in common: the runtime path that calls, sessions that are bypassed, and
// transcripts that a request names by their path.

import * as z from 'zod'
import { isSessionError, SessionError } from '../errors.js'
import type { HookRecordOptions } from '../session/record.js'
import {
  checkClaim,
  claimSession,
  isBypassed,
  resolveAllowedPath,
  type StoreContext,
} from '../store/index.js'
import type { RouteServer } from './route.js'
import { agentId, project, sessionKey } from './routes/fields.js'

const RUNTIME_PATH_HEADERS = ['x-jsonl-session-runtime-path', 'x-signet-runtime-path']
const NO_HOOKS_HEADERS = ['x-jsonl-session-no-hooks', 'x-signet-no-hooks']

const optional = (text: z.ZodString) => text.nullish().transform((value) => value || undefined)
const LONG_TEXT_MAX = 8 * 1024 * 1024

/** A text of any length that a body may have. An empty one counts as none. */
export const longText = () => optional(z.string().max(LONG_TEXT_MAX))

/** What the body of every hook has. Fields that are not known are ignored. */
export const hookBody = {
  harness: z.string().trim().min(1).max(200).describe('The program that runs the agent'),
  sessionKey: sessionKey.optional(),
  agentId,
  project: project.optional(),
  runtimePath: z
    .string()
    .max(64)
    .optional()
    .describe('`plugin` or `legacy`; the header x-signet-runtime-path wins over it'),
}

/** Flags of an answer that did nothing. */
export const noOpFlags = {
  bypassed: z.literal(true).optional().describe('The session is bypassed: nothing was done'),
  internal: z.literal(true).optional().describe('A call of a process without hooks'),
}

/** What the answer of every hook that records has. */
export const recordedFields = {
  sessionId: z.string().nullable().describe('The session as it is stored; null without one'),
  status: z
    .string()
    .optional()
    .describe('written, duplicate, or queued while another process holds the session'),
  ...noOpFlags,
}

interface HookCall {
  readonly store: StoreContext
  readonly headers: Headers
  readonly body: {
    readonly sessionKey?: string | undefined
    readonly runtimePath?: string | undefined
  }
}

/** How the harness calls: the header wins over the body. */
export function runtimePathOf({ headers, body }: HookCall): string | undefined {
  return firstHeader(headers, RUNTIME_PATH_HEADERS) ?? (body.runtimePath || undefined)
}

/** A process whose hooks are switched off calls. */
export function isInternal({ headers }: HookCall): boolean {
  const value = firstHeader(headers, NO_HOOKS_HEADERS) ?? ''
  return value !== '' && value !== '0'
}

function firstHeader(headers: Headers, names: readonly string[]): string | undefined {
  return (
    names.map((name) => headers.get(name)).find((value) => value !== null && value !== '') ??
    undefined
  )
}

/** Why nothing is to be done; `undefined` when the hook is to work. */
export function findNoOp(call: HookCall): z.output<z.ZodObject<typeof noOpFlags>> | undefined {
  if (isInternal(call)) return { internal: true }
  const { sessionKey: session } = call.body
  const isOff = session !== undefined && isBypassed(call.store, session)
  return isOff ? { bypassed: true } : undefined
}

/** Claims the session for the path that calls. Throws ERR_CLAIMED when another one has it. */
export async function takeClaim(call: HookCall): Promise<void> {
  const runtimePath = runtimePathOf(call)
  const { sessionKey: session } = call.body
  if (runtimePath === undefined || session === undefined) return
  try {
    await claimSession(call.store, session, { runtimePath })
  } catch (error) {
    // It cannot be found out who claims the session, so the event is recorded, as hooks do.
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
  }
}

/** The same without writing, for calls that only read or that release the claim. */
export function respectClaim(call: HookCall): void {
  const { sessionKey: session } = call.body
  if (session === undefined) return
  checkClaim(call.store, session, { runtimePath: runtimePathOf(call) })
}

// Longer than a hook process waits: this server runs anyway, and the client has a limit of its own.
const FOLLOW_UP_LOCK_TIMEOUT_MS = 1000

/** For what is recorded after the transcript itself: history, checkpoint. */
export const RECORD_OPTIONS: HookRecordOptions = {
  followUpLockTimeoutMs: FOLLOW_UP_LOCK_TIMEOUT_MS,
}

/** The transcript of a request. Throws ERR_FORBIDDEN for a path that may not be read. */
export function transcriptOf(
  store: StoreContext,
  { transcriptRoots }: RouteServer,
  given: { readonly transcript?: string | undefined; readonly transcriptPath?: string | undefined },
) {
  const { transcript, transcriptPath } = given
  // A text wins over a path, which is not looked at then.
  if (transcript !== undefined || transcriptPath === undefined) return { transcript }
  const onlyFolders = transcriptRoots
  const allowed = resolveAllowedPath(store, transcriptPath, { onlyFolders })
  if ('path' in allowed) return { transcriptPath: allowed.path, onlyFolders }
  // One message for all refusals: it must not show which files there are.
  const what =
    'transcriptPath is not read: it must be a regular file of at most 64 MiB under --transcript-root'
  throw new SessionError('ERR_FORBIDDEN', what)
}
