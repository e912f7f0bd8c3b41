// What a session is given at its start as one text of bounded size: what there is to recover, and
// what agents have learnt in the project. Finds and formats only; the session module records that the
// text was injected.

import { normalizeSessionKey } from '../../format/index.js'
import { configBlock, listCheckpoints, type StoreContext } from '../../store/index.js'
import { type Remembered, rememberedIn } from '../checkpoints/memories.js'
import { redactByDefault, redactWords } from '../redact-words.js'
import { continuitySettings } from '../settings.js'
import { readOrigin } from '../state/session-origin.js'
import { type MemoryText, memoryText } from './memory-text.js'
import type { RecoverOptions } from './recover.js'

// Of a project; the newest count.
const CHECKPOINTS_MAX = 500

/** The memories of a project, at any age; none where the project is not known. */
export function findRemembered(
  store: StoreContext,
  { sessionKey, project: given, scope, redact }: RecoverOptions,
): Remembered {
  const ofSession = () =>
    sessionKey === undefined
      ? undefined
      : readOrigin(store, normalizeSessionKey(sessionKey))?.project
  const project = given ?? ofSession()
  // Without a project the query would mean all of them.
  if (project === undefined && scope !== 'all') return rememberedIn([], store.agent)
  const query = { project, scope, limit: CHECKPOINTS_MAX, withMemories: true }
  const { checkpoints } = listCheckpoints(store, query)
  return rememberedIn(
    checkpoints.map(({ checkpoint }) => redactWords(checkpoint, redact)),
    store.agent,
  )
}

export interface StartMemoryOptions extends RecoverOptions {
  /**
   * Only what was stored after this time, in milliseconds since the epoch.
   *
   * @default of any age
   */
  after?: number | undefined
}

/** What agents have learnt in the project, within the budgets of the settings. */
export function startMemory(store: StoreContext, options: StartMemoryOptions): MemoryText {
  const { after = Number.NEGATIVE_INFINITY, redact = redactByDefault } = options
  const { constraints, facts, tasks, otherTasks } = findRemembered(store, options)
  const isNew = ({ ts }: { readonly ts: string }) => !(Date.parse(ts) <= after)
  const settings = continuitySettings(configBlock(store.config(), 'continuity'), store.report)
  return memoryText(
    {
      constraints: constraints.filter(isNew),
      facts: facts.filter(isNew),
      tasks: tasks.filter(isNew),
      otherTasks,
    },
    {
      constraints: settings.constraintsBudgetChars,
      facts: settings.factsBudgetChars,
      tasks: settings.tasksBudgetChars,
    },
    redact,
  )
}
