// One hook, from its pipe to the log. It never fails its harness: an exit code other than 0 could
// erase a prompt or block a compaction, so whatever goes wrong is a line on stderr.

import { isSessionError, SessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import type { OnceOptions } from '../session/index.js'
import { type StoreOptions, workingFolder } from '../store/index.js'
import { findHandler } from './event-handlers.js'
import { type HookAnswer, type HookContext, NOTHING } from './hook-context.js'
import { type HookFields, sessionIdIn, textIn } from './hook-input.js'
import { type InputSource, readInput } from './read-input.js'
import { silencedBy } from './standing.js'

export type { HookAnswer } from './hook-context.js'

export interface HookCall {
  /** What the command line calls the event; what the event calls itself counts more. */
  readonly event?: string | undefined
  readonly runtimePath?: string | undefined
  readonly store?: StoreOptions | undefined
  readonly io: Pick<NodeJS.Process, 'stdin' | 'env' | 'cwd'>
  /** Of that stdin, in a process that lives for this hook alone and may wait for it. */
  readonly stdinFd?: number | undefined
  /** Resolves when the harness has it. */
  write(text: string): Promise<void>
  /** Words for whoever looks after the harness. */
  tell(text: string): void
  readonly environment?: OnceOptions['environment']
}

// Together they stay within 800 ms, of which a start of Node takes a part. Whoever holds the
// session for longer gets the event through the queue.
const LOCK_TIMEOUT_MS = 400
const LOCK_TIMEOUT_AFTER_MS = 100

/** Never rejects. The answer is for callers inside of a process; the harness reads stdout. */
export async function runHook(call: HookCall): Promise<HookAnswer> {
  try {
    return await run(call)
  } catch (error) {
    call.tell(messageOf(error))
    return NOTHING
  }
}

async function run(call: HookCall): Promise<HookAnswer> {
  if (isSwitchedOff(call.io.env)) return NOTHING
  const input = await readInput(stdinOf(call))
  if ('problem' in input) throw new SessionError('ERR_ARG', `Nothing recorded: ${input.problem}`)
  const { fields } = input
  const event = textIn(fields, 'hook_event_name', 'hookEventName') ?? call.event ?? ''
  const session = sessionIdIn(fields)
  const handler = findHandler(event)
  if (handler === undefined || session === undefined) return NOTHING
  const context = contextOf(call, handler.name, fields, session)
  // The end of a session concerns its claim in any case, and looks at it itself.
  const silenced = handler.name === 'SessionEnd' ? undefined : await silencedBy(context)
  if (silenced !== undefined) return silenced
  const answer = await handler.handle(context)
  if (answer.inject !== '') await inject(call, handler.name, answer)
  return answer
}

// Not `call.io.stdin`: Node makes that stream when it is asked for.
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
  { inject: additionalContext, commit }: HookAnswer,
): Promise<void> {
  const output = { hookSpecificOutput: { hookEventName, additionalContext } }
  await write(`${JSON.stringify(output)}\n`)
  await commit?.()
}

function contextOf(
  { io, store, runtimePath, tell, environment }: HookCall,
  name: string,
  fields: HookFields,
  session: string,
): HookContext {
  const cwd = textIn(fields, 'cwd') ?? workingFolder(io)
  return {
    name,
    fields,
    tell,
    session_id: normalizeSessionKey(session),
    runtimePath: runtimePath ?? textIn(fields, 'runtimePath', 'runtime_path'),
    options: {
      ...store,
      environment,
      lockTimeoutMs: LOCK_TIMEOUT_MS,
      lockTimeoutAfterMs: LOCK_TIMEOUT_AFTER_MS,
      onDiagnostic: ({ code, message }) => tell(`${code}: ${message}`),
      facts: {
        // The folder of the event follows every `cd`; the project does not.
        project: io.env['CLAUDE_PROJECT_DIR'] || textIn(fields, 'project') || cwd,
        harness: textIn(fields, 'harness') ?? 'claude-code',
        previousSessionKey: textIn(fields, 'previous_session_key', 'previousSessionKey'),
        harnessAgentId: textIn(fields, 'harnessAgentId', 'harness_agent_id'),
        parentSessionKey: textIn(fields, 'parent_session_key', 'parentSessionKey'),
        capture: 'hooks',
        cwd,
      },
    },
  }
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
