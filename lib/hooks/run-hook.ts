// Runs one hook. It never fails its harness: an exit code other than 0 could erase a prompt or block
// a compaction, so every problem is reported as a line on stderr.

import { isAbsolute } from 'node:path'
import {
  type Environment,
  type EnvironmentOverrides,
  environmentFrom,
} from '../environment/index.js'
import { isSessionError, SessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import { identifyParent } from '../log/index.js'
import {
  claimSession,
  openContext,
  renewClaim,
  type StoreContext,
  type StoreOptions,
  UNNAMED_PATH,
  workingFolder,
} from '../store/index.js'
import { answerWithoutSession, RECALL } from './calls.js'
import type { TranslatedClient } from './clients/client.js'
import { CODEX } from './clients/codex.js'
import { GEMINI } from './clients/gemini.js'
import { OPENCODE } from './clients/opencode.js'
import { findHandler, recordTranscript } from './handlers.js'
import { leaveForkedSession, settleKilledSessions } from './other-sessions.js'
import {
  findSessionId,
  findText,
  type HookAnswer,
  type HookContext,
  type HookFields,
  type InputSource,
  NOTHING,
  readInput,
} from './read-input.js'

export interface HookCall {
  /** The event as the command line names it. A name in the input takes precedence. */
  readonly event?: string | undefined
  /**
   * The client that calls the hook.
   *
   * @default 'claude-code'
   */
  readonly client?: string | undefined
  readonly runtimePath?: string | undefined
  readonly store?: StoreOptions | undefined
  readonly io: Pick<NodeJS.Process, 'stdin' | 'env' | 'cwd'>
  /** The descriptor of that stdin, in a process that runs this hook only and may block. */
  readonly stdinFd?: number | undefined
  /** Resolves when the harness has the text. */
  write(text: string): Promise<void>
  /** Reports a problem to the user of the harness. */
  report(text: string): void
  readonly environment?: EnvironmentOverrides | undefined
}

// Together they stay within 800 ms, of which a start of Node takes a part. While another process
// holds the session for longer, the event is spooled.
const LOCK_TIMEOUT_MS = 400
const FOLLOW_UP_LOCK_TIMEOUT_MS = 100

/** Never rejects. The answer is for callers in this process; the harness reads stdout. */
export async function runHook(call: HookCall): Promise<HookAnswer> {
  try {
    return await run(call)
  } catch (error) {
    call.report(messageOf(error))
    return NOTHING
  }
}

async function run(call: HookCall): Promise<HookAnswer> {
  const isOff = isSwitchedOff(call.io.env)
  if (isOff && findHandler(call.event ?? '')?.name !== RECALL) return NOTHING
  const env = environmentFrom(call.environment)
  const input = await readInput(env, stdinOf(call))
  if ('problem' in input) throw new SessionError('ERR_ARG', `Nothing recorded: ${input.problem}`)
  const client = findClient(call.client)
  const { event, fields } = translate(call, client, input.fields, env)
  const session = findSessionId(fields)
  const handler = findHandler(event)
  if (handler?.name === RECALL && (isOff || session === undefined)) {
    const store = storeOf(call, env, fields)
    return answer(call, RECALL, {
      ...NOTHING,
      body: await answerWithoutSession(store, fields, isOff),
    })
  }
  if (isOff || handler === undefined || session === undefined) return NOTHING
  const context = await prepare(
    contextOf(call, env, { name: handler.name, fields, session, client }),
  )
  // The end of a session releases its claim in any case, and checks it itself.
  const skipped = handler.name === 'SessionEnd' ? undefined : await findReasonToSkip(context)
  const isAnswered = handler.name === RECALL && skipped?.bypassed === true
  if (skipped !== undefined && !isAnswered) return skipped
  const outcome = await handler.handle(context)
  const found = 'inject' in outcome ? outcome : { ...NOTHING, status: outcome.status }
  return answer(call, handler.name, found)
}

async function answer(call: HookCall, name: string, found: HookAnswer): Promise<HookAnswer> {
  if (found.inject !== '') await inject(call, name, found)
  if (found.body !== undefined) {
    await call.write(`${JSON.stringify(found.body)}\n`)
    await found.commit?.()
  }
  return found
}

const DEFAULT_CLIENT = 'claude-code'

function findClient(name = DEFAULT_CLIENT): TranslatedClient | undefined {
  const client = [GEMINI, CODEX, OPENCODE].find((it) => it.name === name)
  if (client !== undefined || name === DEFAULT_CLIENT) return client
  throw new SessionError('ERR_ARG', `Nothing recorded: --for names an unknown client, "${name}"`)
}

/** The event and its fields as Claude Code would report them. */
function translate(
  call: HookCall,
  client: TranslatedClient | undefined,
  fields: HookFields,
  { fs }: Environment,
): { readonly event: string; readonly fields: HookFields } {
  const event = findText(fields, 'hook_event_name', 'hookEventName') ?? call.event ?? ''
  if (client === undefined) return { event, fields }
  return client.translate(event, fields, fs) ?? { event: '', fields }
}

/** What must be done before this session is claimed, or its start is looked at. */
async function prepare(context: HookContext): Promise<HookContext> {
  const { name, fields, options } = context
  try {
    if (name === 'UserPromptSubmit') {
      const source = await leaveForkedSession(context)
      if (source === undefined) return context
      const facts = { ...options.facts, previousSessionKey: source }
      return { ...context, options: { ...options, facts } }
    }
    if (name !== 'SessionStart') return context
    if (findText(fields, 'source') === 'startup') await settleKilledSessions(context)
    else await recordTranscript(context)
  } catch (error) {
    // The event itself is recorded whatever state another session is in.
    if (!isSessionError(error)) throw error
    context.report(messageOf(error))
  }
  return context
}

// Not `call.io.stdin`: Node creates that stream when the property is read.
function stdinOf({ io, stdinFd }: HookCall): InputSource {
  return {
    stdinFd,
    get stdin() {
      return io.stdin
    },
  }
}

async function inject(
  { write }: HookCall,
  hookEventName: string,
  { inject: additionalContext, withdraw }: HookAnswer,
): Promise<void> {
  const output = { hookSpecificOutput: { hookEventName, additionalContext } }
  try {
    await write(`${JSON.stringify(output)}\n`)
  } catch (error) {
    await withdraw?.()
    throw error
  }
}

interface PreparedEvent {
  readonly name: string
  readonly fields: HookFields
  readonly session: string
  readonly client: TranslatedClient | undefined
}

function storeOf(
  { store: options, report }: HookCall,
  environment: Environment,
  fields: HookFields,
): StoreContext {
  return openContext({
    ...options,
    // Not `agent_id`, which is Claude Code's name of a subagent.
    agent: options?.agent ?? findText(fields, 'agentId'),
    environment,
    readConfig: true,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    onDiagnostic: ({ code, message }) => report(`${code}: ${message}`),
  })
}

function contextOf(
  call: HookCall,
  environment: Environment,
  { name, fields, session, client }: PreparedEvent,
): HookContext {
  const { io, runtimePath, report } = call
  const cwd = findText(fields, 'cwd') ?? workingFolder(io)
  const store = storeOf(call, environment, fields)
  const followUpLocks = { ...store.logOptions, lockTimeoutMs: FOLLOW_UP_LOCK_TIMEOUT_MS }
  return {
    name,
    fields,
    report,
    sessionId: normalizeSessionKey(session),
    runtimePath: runtimePath ?? findText(fields, 'runtimePath', 'runtime_path'),
    store,
    followUpStore: { ...store, logOptions: followUpLocks },
    options: {
      followUpLockTimeoutMs: FOLLOW_UP_LOCK_TIMEOUT_MS,
      transcript: findTranscript(name, fields),
      facts: {
        // The folder of the event changes with every `cd`; the project does not.
        project: findProject(io.env, client) || findText(fields, 'project') || cwd,
        harness: findText(fields, 'harness') ?? client?.name ?? DEFAULT_CLIENT,
        previousSessionKey: findText(fields, 'previous_session_key', 'previousSessionKey'),
        harnessAgentId: findText(fields, 'harnessAgentId', 'harness_agent_id'),
        parentSessionKey: findText(fields, 'parent_session_key', 'parentSessionKey'),
        capture: 'hooks',
        cwd,
      },
    },
  }
}

/** A client may run in a shell of another one, so only its own variable counts. */
function findProject(env: NodeJS.ProcessEnv, client: TranslatedClient | undefined) {
  const variable = client === undefined ? 'CLAUDE_PROJECT_DIR' : client.projectVariable
  return variable === undefined ? undefined : env[variable]
}

/** The transcript that Claude Code writes of the session, also where a subagent has the event. */
function findTranscript(name: string, fields: HookFields) {
  const path = findText(fields, 'transcript_path')
  if (path === undefined || !isAbsolute(path)) return undefined
  // A client that resumes has written all of it; what it did not write, it does not send.
  return { path, isSettled: name === 'SessionStart' && findText(fields, 'source') === 'resume' }
}

/** An agent that a hook starts must not start hooks. */
function isSwitchedOff(env: NodeJS.ProcessEnv): boolean {
  const value = env['JSONL_SESSION_NO_HOOKS'] ?? ''
  return value !== '' && value !== '0'
}

function messageOf(error: unknown): string {
  if (isSessionError(error)) return `${error.code}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

// Whether a hook records at all: not while the session is bypassed, and not while another runtime
// path has claimed it. On the way the claim of this harness is renewed.

// A person causes these events, so they are rare enough to find out which process the harness is.
const CLAIMING = ['SessionStart', 'UserPromptSubmit']

/** Returns why nothing is recorded; `undefined` when this hook is to record. */
export async function findReasonToSkip(context: HookContext): Promise<HookAnswer | undefined> {
  try {
    return await checkClaim(context)
  } catch (error) {
    // It cannot be found out who claims the session, so the event is recorded.
    if (!isSessionError(error, 'ERR_LOCKED')) throw error
    return undefined
  }
}

async function checkClaim({
  name,
  sessionId,
  runtimePath,
  followUpStore,
}: HookContext): Promise<HookAnswer | undefined> {
  const path = { runtimePath: runtimePath ?? UNNAMED_PATH, automatic: true }
  const { bypassed, skipped, duplicateRuntimePath, claimedBy } = CLAIMING.includes(name)
    ? await claimSession(followUpStore, sessionId, {
        ...path,
        owner: identifyParent(followUpStore.env),
      })
    : await renewClaim(followUpStore, sessionId, path)
  if (bypassed) return { ...NOTHING, bypassed }
  // A hook without a runtime path is never skipped.
  if (skipped !== true || runtimePath === undefined) return undefined
  return { ...NOTHING, skipped, duplicateRuntimePath: duplicateRuntimePath!, claimedBy: claimedBy! }
}
