// What the next session should know: the checkpoint of the work it goes on with, as a text that
// fits. Finds and formats; that it was really shown is for the session room to write down.

import { SessionError } from '../errors.js'
import { type Diagnostic, normalizeSessionKey } from '../format/index.js'
import { systemEnvironment } from '../log/index.js'
import {
  CheckpointIndex,
  type CheckpointIndexOptions,
  type CheckpointPayload,
  isSessionLive,
  type NewestCheckpoint,
  type ProjectScope,
} from '../store/index.js'
import { recoveryText } from './recovery-text.js'
import { type RedactText, redactByDefault, redactWords } from './served.js'
import { readOrigin } from './session-facts.js'

/** How a session came to start, in the words of the harnesses. */
export type StartSource = 'startup' | 'resume' | 'compact' | 'fork' | 'clear'

export const START_SOURCES: readonly string[] = [
  'startup',
  'resume',
  'compact',
  'fork',
  'clear',
] satisfies readonly StartSource[]

export interface RecoverOptions extends CheckpointIndexOptions {
  /** The session that starts. */
  sessionKey?: string | undefined

  /**
   * The session it follows.
   *
   * @default as the header of the session names it
   */
  previousSessionKey?: string | undefined

  /**
   * Where the work is, in any spelling.
   *
   * @default the project of the session's header; without one, no project is looked at
   */
  project?: string | undefined

  /** @default 'exact' */
  scope?: ProjectScope | undefined

  /** @default 'startup' */
  source?: StartSource | undefined

  /**
   * How old the checkpoint of a project may be, in ms; it must be younger.
   *
   * @default 4 hours
   */
  withinMs?: number | undefined

  /**
   * The same for the checkpoint of the previous session.
   *
   * @default of any age
   */
  lineageWithinMs?: number | undefined

  /**
   * Chars of the text, with its heading and the mark of a cut; 200 to 10000.
   *
   * @default 2000
   */
  budgetChars?: number | undefined

  /** What recovery and everything beside it may take together; see `mainBudget`. */
  totalBudget?: number | undefined

  /**
   * Pass over the project's sessions that somebody is working in: their work is not ours.
   *
   * @default true
   */
  excludeLive?: boolean | undefined

  /** @default a living process holds the session's transcript */
  isLive?: ((sessionKey: string) => boolean) | undefined

  redact?: RedactText | undefined

  /** For a process that recovers often. */
  index?: Pick<CheckpointIndex, 'findNewest'> | undefined
}

export interface Recovery {
  /** Redacted, like the text. */
  readonly checkpoint: CheckpointPayload
  readonly matchedBy: 'session' | 'lineage' | 'project'
  readonly ageMs: number
  readonly text: string
  /** Of `totalBudget`, what is left for everything else. It does not depend on the text. */
  readonly mainBudget?: number | undefined
  /** What was tolerated in the shards that were looked into. */
  readonly diagnostics: readonly Diagnostic[]
}

type Match = Pick<Recovery, 'checkpoint' | 'matchedBy'>

const WITHIN_MS = 4 * 60 * 60 * 1000
const BUDGET = { usual: 2000, least: 200, most: 10_000 }

/** `undefined` when there is nothing to go on with. */
export function recover(options: RecoverOptions = {}): Recovery | undefined {
  const { redact = redactByDefault, totalBudget } = options
  const diagnostics: Diagnostic[] = []
  const match = findMatch(options, diagnostics)
  if (match === undefined) return undefined
  const now = (options.environment?.now ?? systemEnvironment.now)()
  const checkpoint = redactWords(match.checkpoint, redact)
  const budgetChars = budgetOf(options)
  return {
    checkpoint,
    matchedBy: match.matchedBy,
    ageMs: Math.max(0, now - Date.parse(checkpoint.created_at)),
    text: recoveryText(checkpoint.digest, budgetChars),
    mainBudget: totalBudget === undefined ? undefined : Math.max(0, totalBudget - budgetChars),
    diagnostics,
  }
}

/** What it asks for, brought into its range. */
export function budgetOf({ budgetChars }: Pick<RecoverOptions, 'budgetChars'>): number {
  if (typeof budgetChars !== 'number' || Number.isNaN(budgetChars)) return BUDGET.usual
  return Math.min(BUDGET.most, Math.max(BUDGET.least, Math.trunc(budgetChars)))
}

function findMatch(options: RecoverOptions, diagnostics: Diagnostic[]): Match | undefined {
  const { source = 'startup', scope, withinMs = WITHIN_MS, lineageWithinMs } = options
  if (!START_SOURCES.includes(source)) {
    throw new SessionError('ERR_ARG', `source is ${START_SOURCES.join(', ')}, not "${source}"`)
  }
  // Whoever clears a session wants to be rid of what was.
  if (source === 'clear') return undefined
  const index = options.index ?? new CheckpointIndex(options)
  const matched = (found: NewestCheckpoint, matchedBy: Match['matchedBy']): Match | undefined => {
    diagnostics.push(...found.diagnostics)
    return found.newest && { checkpoint: found.newest.checkpoint, matchedBy }
  }
  const sessionKey = normalized(options.sessionKey)
  if (sessionKey !== undefined && source !== 'startup') {
    const own = matched(index.findNewest({ session: sessionKey }), 'session')
    if (own !== undefined) return own
  }
  const origin = sessionKey === undefined ? undefined : readOrigin(sessionKey, options)
  const previous = normalized(options.previousSessionKey ?? origin?.previousSessionKey)
  if (previous !== undefined && previous !== sessionKey) {
    const query = { session: previous, withinMs: lineageWithinMs }
    const earlier = matched(index.findNewest(query), 'lineage')
    if (earlier !== undefined) return earlier
  }
  const project = options.project ?? origin?.project
  // Without a project the index would answer for all of them.
  if (project === undefined && scope !== 'all') return undefined
  const isSkipped = skippedSessions(sessionKey, options)
  return matched(index.findNewest({ project, scope, withinMs, isSkipped }), 'project')
}

/** The session that starts, which knows itself, and those that others are working in. */
function skippedSessions(
  sessionKey: string | undefined,
  options: RecoverOptions,
): (key: string) => boolean {
  const { excludeLive = true } = options
  const isLive = options.isLive ?? ((key: string) => isSessionLive(key, options))
  return (key) => key === sessionKey || (excludeLive && isLive(key))
}

function normalized(key: string | undefined): string | undefined {
  return key === undefined ? undefined : normalizeSessionKey(key)
}
