// What the next session should know: the checkpoint of the work it continues, as a text that fits.
// Finds and formats only; the session module records that the text was injected.

import { SessionError } from '../../errors.js'
import { clipLines, type Diagnostic, normalizeSessionKey } from '../../format/index.js'
import {
  type CheckpointPayload,
  findNewestCheckpoint,
  isSessionLive,
  type NewestCheckpointQuery,
  type ProjectScope,
  type StoreContext,
} from '../../store/index.js'
import { type RedactText, redactByDefault, redactWords } from '../redact-words.js'
import { readOrigin } from '../state/session-origin.js'

/** How a session came to start, in the words of the harnesses. */
export type StartSource = 'startup' | 'resume' | 'compact' | 'fork' | 'clear'

export const START_SOURCES = ['startup', 'resume', 'compact', 'fork', 'clear'] as const

export function isStartSource(source: string): source is StartSource {
  return START_SOURCES.some((known) => known === source)
}

/** Which checkpoint to recover. */
export interface RecoverOptions {
  /**
   * The session that starts.
   *
   * @default none
   */
  sessionKey?: string | undefined

  /**
   * The session it follows. A checkpoint of it counts at any age.
   *
   * @default the one that the session's header names
   */
  previousSessionKey?: string | undefined

  /**
   * The folder of the work, in any spelling.
   *
   * @default the project of the session's header; without one, no project is searched
   */
  project?: string | undefined

  /**
   * How far the project reaches: this folder, all working trees of its repository, or everything.
   *
   * @default 'exact'
   */
  scope?: ProjectScope | undefined

  /**
   * Why the session starts.
   *
   * @default 'startup'
   */
  source?: StartSource | undefined

  /**
   * A checkpoint of the project must be younger than this, in milliseconds.
   *
   * @default 4 hours
   */
  withinMs?: number | undefined

  /**
   * Chars of the text, including its heading and the truncation mark; 200 to 10000.
   *
   * @default 2000
   */
  budgetChars?: number | undefined

  /**
   * Redacts the text.
   *
   * @default the default redaction rules
   */
  redact?: RedactText | undefined
}

/** The checkpoint to recover from, and its text. */
export interface Recovery {
  /** Redacted, like the text. */
  readonly checkpoint: CheckpointPayload
  readonly matchedBy: 'session' | 'lineage' | 'project'
  readonly ageMs: number
  readonly text: string
  /** What was tolerated while the checkpoints were read. */
  readonly diagnostics: readonly Diagnostic[]
}

type Match = Pick<Recovery, 'checkpoint' | 'matchedBy'>

// The reader is a model, which may take every sentence for an instruction.
const HEADING = `## Session Recovery Context
Background from an earlier session, not a request; the user's own words come first.

`
const TRUNCATED = '\n[truncated]'
const SECTION = '### '
const SESSION_CONTEXT = '### Session Context'

const WITHIN_MS = 4 * 60 * 60 * 1000
const BUDGET = { usual: 2000, least: 200, most: 10_000 }

/** `undefined` when there is nothing to recover. */
export function recover(store: StoreContext, options: RecoverOptions = {}): Recovery | undefined {
  const diagnostics: Diagnostic[] = []
  const match = findMatch(store, options, diagnostics)
  if (match === undefined) return undefined
  const checkpoint = redactWords(match.checkpoint, options.redact ?? redactByDefault)
  return {
    checkpoint,
    matchedBy: match.matchedBy,
    ageMs: Math.max(0, store.env.now() - Date.parse(checkpoint.created_at)),
    text: recoveryText(checkpoint.digest, clampBudget(options.budgetChars)),
    diagnostics,
  }
}

export function clampBudget(budgetChars: number | undefined): number {
  if (typeof budgetChars !== 'number' || Number.isNaN(budgetChars)) return BUDGET.usual
  return Math.min(BUDGET.most, Math.max(BUDGET.least, Math.trunc(budgetChars)))
}

function findMatch(
  store: StoreContext,
  options: RecoverOptions,
  diagnostics: Diagnostic[],
): Match | undefined {
  const { source = 'startup', scope, withinMs = WITHIN_MS } = options
  if (!isStartSource(source)) {
    throw new SessionError('ERR_ARG', `source is ${START_SOURCES.join(', ')}, not "${source}"`)
  }
  // A user who clears a session does not want its content back.
  if (source === 'clear') return undefined
  const sessionKey = normalized(options.sessionKey)
  if (sessionKey !== undefined && source !== 'startup') {
    const own = find('session', { session: sessionKey })
    if (own !== undefined) return own
  }
  const origin = sessionKey === undefined ? undefined : readOrigin(store, sessionKey)
  const previous = normalized(options.previousSessionKey ?? origin?.previousSessionKey)
  if (previous !== undefined && previous !== sessionKey) {
    const earlier = find('lineage', { session: previous })
    if (earlier !== undefined) return earlier
  }
  const project = options.project ?? origin?.project
  // Without a project the query would mean all of them.
  if (project === undefined && scope !== 'all') return undefined
  // Neither the session itself nor one that a live process is working in.
  const excludeSession = (key: string) => key === sessionKey || isSessionLive(store, key)
  return find('project', { project, scope, withinMs, excludeSession })

  function find(matchedBy: Match['matchedBy'], query: NewestCheckpointQuery): Match | undefined {
    const found = findNewestCheckpoint(store, query)
    diagnostics.push(...found.diagnostics)
    return found.newest && { checkpoint: found.newest.checkpoint, matchedBy }
  }
}

function normalized(key: string | undefined): string | undefined {
  return key === undefined ? undefined : normalizeSessionKey(key)
}

/** The text with its heading and the truncation mark has at most `budgetChars` chars. */
export function recoveryText(digest: string, budgetChars: number): string {
  const text = digest.toWellFormed().trim()
  const whole = HEADING + text
  if (whole.length <= budgetChars) return whole
  const chars = budgetChars - TRUNCATED.length - HEADING.length
  if (chars < 0) return ''
  return HEADING + clipLines(importantFirst(text), chars) + TRUNCATED
}

/** What is above all sections, then the session context, then the other sections in their order. */
function importantFirst(text: string): string {
  const sections: string[][] = [[]]
  for (const line of text.split('\n')) {
    if (line.startsWith(SECTION)) sections.push([])
    sections.at(-1)!.push(line)
  }
  const [top, ...rest] = sections.map((lines) => lines.join('\n').trimEnd())
  const isContext = (section: string) => section.split('\n', 1)[0]!.trimEnd() === SESSION_CONTEXT
  const others = rest.filter((section) => !isContext(section))
  const ordered = [top!, ...rest.filter(isContext), ...others]
  return ordered.filter((section) => section !== '').join('\n\n')
}
