// What the next session should know: the checkpoint of the work it continues, as a text that fits.
// Finds and formats only; the session module records that the text was injected.

import { SessionError } from '../../errors.js'
import { type Diagnostic, normalizeSessionKey } from '../../format/index.js'
import {
  type CheckpointPayload,
  configBlock,
  findNewestOfEach,
  isSessionLive,
  isUnreadable,
  listUnfinishedSessions,
  type NewestCheckpointQuery,
  type ProjectScope,
  readSessionInfo,
  readSessionProject,
  recoveryWindowMs,
  type StoreContext,
} from '../../store/index.js'
import { type RedactText, redactByDefault, redactWords } from '../redact-words.js'
import { readOrigin } from '../state/session-origin.js'
import { type Activity, readActivity } from './activity.js'
import { type RecoverySource, recoveryText } from './recovery-text.js'

/** How a session came to start, in the words of the harnesses. */
export type StartSource = 'startup' | 'resume' | 'compact' | 'fork' | 'clear'

export const START_SOURCES = ['startup', 'resume', 'compact', 'fork', 'clear'] as const

export function isStartSource(source: string): source is StartSource {
  return START_SOURCES.some((known) => known === source)
}

/** What to recover. */
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
   * Of the project only what is younger than this, in milliseconds. The session itself and the one
   * it follows may be older, and so may facts, tasks and constraints.
   *
   * @default the setting `recovery.withinHours`, else 4 hours
   */
  withinMs?: number | undefined

  /**
   * Chars of the text, including its heading and the truncation mark; 200 to 10000.
   *
   * @default the setting `continuity.recoveryBudgetChars`, else 2000
   */
  budgetChars?: number | undefined

  /**
   * Redacts the text.
   *
   * @default the default redaction rules
   */
  redact?: RedactText | undefined
}

/** What to recover, and its text. */
export interface Recovery {
  /**
   * The newest checkpoint in the words of an agent or a person; else the newest other one; else
   * one that is made, in memory only, of the end of a transcript: its `cause` is `transcript`, its
   * id the uuid of the newest event. Redacted, like the text.
   */
  readonly checkpoint: CheckpointPayload
  readonly matchedBy: 'session' | 'lineage' | 'project'
  /** How old that checkpoint is. */
  readonly ageMs: number
  readonly text: string
  /** What the text is made of, in its order. */
  readonly from: readonly RecoverySource[]
  /** What was tolerated while the checkpoints were read. */
  readonly diagnostics: readonly Diagnostic[]
}

const BUDGET = { usual: 2000, least: 200, most: 10_000 }
const CLASSES = ['own', 'gathered', 'silent'] as const

/** `undefined` when there is nothing to recover. */
export function recover(store: StoreContext, options: RecoverOptions = {}): Recovery | undefined {
  const search = new RecoverySearch(store, options)
  const found = search.find()
  if (found === undefined) return undefined
  const [first, ...others] = found.checkpoints
  const [unfinished] = found.unfinished
  const checkpoint = first ?? unfinished?.hidden ?? toCheckpoint(store, unfinished!)
  const gathered = [...others, ...found.unfinished.flatMap(({ hidden }) => hidden ?? [])]
  const from = [
    ...(first === undefined ? [] : [toSource(first)]),
    ...[...gathered.map(toSource), ...found.unfinished.flatMap(({ source }) => source ?? [])].sort(
      (one, other) => Date.parse(other.ts) - Date.parse(one.ts),
    ),
  ]
  return {
    checkpoint,
    matchedBy: found.matchedBy,
    ageMs: Math.max(0, store.env.now() - Date.parse(checkpoint.created_at)),
    text: recoveryText(from, budgetOf(store, options.budgetChars)),
    from,
    diagnostics: search.diagnostics,
  }
}

/** What the caller passes, else the setting, else the default. */
export function budgetOf(store: StoreContext, given: number | undefined): number {
  const budgetChars = given ?? configBlock(store.config(), 'continuity')['recoveryBudgetChars']
  if (typeof budgetChars !== 'number' || Number.isNaN(budgetChars)) return BUDGET.usual
  return Math.min(BUDGET.most, Math.max(BUDGET.least, Math.trunc(budgetChars)))
}

interface Match {
  readonly matchedBy: Recovery['matchedBy']
  /** Own words first; then the newest other one, if it is newer and has more to say. */
  readonly checkpoints: readonly CheckpointPayload[]
  readonly unfinished: readonly Unfinished[]
}

/** What a session without an end was doing. */
interface Unfinished {
  readonly sessionKey: string
  /** Its newest checkpoint, where a later session stored a newer one. */
  readonly hidden?: CheckpointPayload | undefined
  /** What came after its checkpoint. */
  readonly activity?: Activity | undefined
  readonly source?: RecoverySource | undefined
}

class RecoverySearch {
  readonly diagnostics: Diagnostic[] = []
  readonly #store: StoreContext
  readonly #options: RecoverOptions
  readonly #redact: RedactText

  constructor(store: StoreContext, options: RecoverOptions) {
    this.#store = store
    this.#options = options
    this.#redact = options.redact ?? redactByDefault
  }

  find(): Match | undefined {
    const { source = 'startup' } = this.#options
    if (!isStartSource(source)) {
      throw new SessionError(
        'ERR_ARG',
        `source must be one of ${START_SOURCES.join(', ')}, not "${source}"`,
      )
    }
    // A user who clears a session does not want its content back.
    if (source === 'clear') return undefined
    const sessionKey = normalized(this.#options.sessionKey)
    const own = source === 'startup' ? undefined : sessionKey
    const origin = sessionKey === undefined ? undefined : readOrigin(this.#store, sessionKey)
    const previous = normalized(this.#options.previousSessionKey ?? origin?.previousSessionKey)
    return (
      this.#ofSession('session', own) ??
      this.#ofSession('lineage', previous === sessionKey ? undefined : previous) ??
      this.#ofProject(this.#options.project ?? origin?.project, sessionKey)
    )
  }

  #ofSession(matchedBy: Match['matchedBy'], session: string | undefined): Match | undefined {
    if (session === undefined) return undefined
    const checkpoints = this.#checkpoints({ session })
    const info = readSessionInfo(this.#store, this.#store.layout.transcriptPath(session))
    const isUnfinished = !isUnreadable(info) && info.status === 'crashed' && !this.#isLive(session)
    const unfinished = isUnfinished ? this.#unfinished([session], checkpoints) : []
    return toMatch(matchedBy, checkpoints, unfinished)
  }

  #ofProject(project: string | undefined, self: string | undefined): Match | undefined {
    const { scope, withinMs = recoveryWindowMs(this.#store) } = this.#options
    // Without a project the query would mean all of them.
    if (project === undefined && scope !== 'all') return undefined
    // Neither the session itself nor one that a live process is working in.
    const excludeSession = (key: string) => key === self || this.#isLive(key)
    const checkpoints = this.#checkpoints({ project, scope, withinMs, excludeSession })
    const sessions = listUnfinishedSessions(this.#store, { project, scope, withinMs })
      .map(({ sessionId }) => sessionId)
      .filter((key) => !excludeSession(key))
    return toMatch('project', checkpoints, this.#unfinished(sessions, checkpoints))
  }

  /** A digest of what was gathered hides no words of an agent; one that gathered nothing is left out. */
  #checkpoints(query: NewestCheckpointQuery): CheckpointPayload[] {
    const { checkpoints, diagnostics } = findNewestOfEach(this.#store, query, CLASSES, classOf)
    this.diagnostics.push(...diagnostics)
    const redacted = checkpoints.map(({ checkpoint }) => redactWords(checkpoint, this.#redact))
    const newest = redacted.find((checkpoint) => classOf(checkpoint) !== 'silent')
    if (newest === undefined) return redacted
    const own = redacted.find((checkpoint) => classOf(checkpoint) === 'own')
    return own === undefined || own === newest ? [newest] : [own, newest]
  }

  /** The newest of these sessions; and, if it has no reply and no call yet, the next that has. */
  #unfinished(
    sessions: readonly string[],
    checkpoints: readonly CheckpointPayload[],
  ): readonly Unfinished[] {
    const found: Unfinished[] = []
    for (const sessionKey of sessions.slice(0, SESSIONS_LOOKED_AT)) {
      const shown = checkpoints.findLast(({ session_key }) => session_key === sessionKey)
      const hidden = shown === undefined ? this.#findHidden(sessionKey) : undefined
      const after = (shown ?? hidden)?.last_uuid
      const activity = readActivity(this.#store, sessionKey, { after, redact: this.#redact })
      const hasWork = hidden !== undefined || activity?.hasWork === true
      if ((activity ?? hidden) === undefined || (found.length > 0 && !hasWork)) continue
      found.push({
        sessionKey,
        hidden,
        activity,
        source: activity && sourceOf(sessionKey, activity),
      })
      if (hasWork) break
    }
    return found
  }

  #findHidden(session: string): CheckpointPayload | undefined {
    const newest = this.#checkpoints({ session }).at(-1)
    return newest !== undefined && classOf(newest) !== 'silent' ? newest : undefined
  }

  #isLive(session: string): boolean {
    return isSessionLive(this.#store, session)
  }
}

const SESSIONS_LOOKED_AT = 5
// A digest of an interval in which nothing was gathered.
const HEAD_ALONE = /^## .*\nProject: .*\n.*Duration: .*$/

function toMatch(
  matchedBy: Match['matchedBy'],
  checkpoints: readonly CheckpointPayload[],
  unfinished: readonly Unfinished[],
): Match | undefined {
  if (checkpoints.length === 0 && unfinished.length === 0) return undefined
  return { matchedBy, checkpoints, unfinished }
}

/** In the words of an agent or a person, a digest of what was gathered, or one of nothing. */
function classOf({ trigger, digest }: CheckpointPayload): (typeof CLASSES)[number] {
  if (trigger === 'agent' || trigger === 'explicit') return 'own'
  return HEAD_ALONE.test(digest.trim()) ? 'silent' : 'gathered'
}

function toSource({ id, session_key, created_at, trigger, digest }: CheckpointPayload) {
  const text = digest
  return { kind: 'checkpoint', id, sessionKey: session_key, ts: created_at, trigger, text } as const
}

function sourceOf(sessionKey: string, { uuid: id, ts, text }: Activity): RecoverySource {
  return { kind: 'transcript', id, sessionKey, ts, text }
}

/** In memory only. */
function toCheckpoint(
  store: StoreContext,
  { sessionKey, activity }: Unfinished,
): CheckpointPayload {
  const origin = readOrigin(store, sessionKey)
  const { uuid, ts, text, prompts } = activity!
  return {
    id: uuid,
    session_key: sessionKey,
    project_normalized: readSessionProject(store, sessionKey) ?? null,
    created_at: ts,
    trigger: 'periodic',
    cause: 'transcript',
    agent_id: store.agent,
    harness: origin?.harness ?? 'unknown',
    project: origin?.project ?? null,
    digest: text,
    prompt_count: prompts.length,
    total_prompt_count: prompts.length,
    prompt_snippets: [...prompts],
    last_uuid: uuid,
  }
}

function normalized(key: string | undefined): string | undefined {
  return key === undefined ? undefined : normalizeSessionKey(key)
}
