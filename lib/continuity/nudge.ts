// A word to an agent that has worked long without writing down what it learnt. Hosts ask for it;
// by itself nobody is ever nudged.

import { isSessionError, SessionError } from '../errors.js'
import { normalizeSessionKey } from '../format/index.js'
import {
  type CheckpointPayload,
  layoutOf,
  listCheckpoints,
  type StoreOptions,
} from '../store/index.js'
import { type CheckpointLike, deriveContinuity } from './derive-state.js'

export interface NudgeOptions extends StoreOptions {
  /**
   * Prompts since the agent last left a checkpoint in its own words.
   *
   * @default 15
   */
  after?: number | undefined
}

const PROMPTS_USUAL = 15
const TOLD = ['agent', 'explicit']

/** `undefined` as long as there is no need, and for a session that nobody knows. */
export function checkpointNudge(
  sessionKey: string,
  { after = PROMPTS_USUAL, ...options }: NudgeOptions = {},
): string | undefined {
  if (!Number.isSafeInteger(after) || after < 1) {
    throw new SessionError('ERR_ARG', `A nudge comes after 1 prompt or more, not ${after}`, {
      after,
    })
  }
  const session = normalizeSessionKey(sessionKey)
  const found = listCheckpoints({ ...options, session }).checkpoints
  const checkpoints = found.map(({ checkpoint }) => checkpoint)
  const prompts = promptsSince(
    checkpoints.find(({ trigger }) => TOLD.includes(trigger)),
    checkpoints.find(isPlaced),
    layoutOf(options).transcriptPath(session),
  )
  if (prompts < after) return undefined
  const count = prompts === 1 ? '1 prompt' : `${prompts} prompts`
  return (
    `${count} since the last checkpoint in your own words. Leave one now: what is done, ` +
    'what was decided and why, what is open. Then go on.'
  )
}

const isPlaced = ({ transcript_offset }: CheckpointLike) => typeof transcript_offset === 'number'

/** Somebody outside the session counts no prompts, but names the event that its words end with. */
function promptsSince(
  told: CheckpointPayload | undefined,
  latest: CheckpointLike | undefined,
  path: string,
): number {
  try {
    if (told === undefined || isPlaced(told)) {
      const { totalPromptCount } = deriveContinuity(path, { latest })
      return totalPromptCount - (told?.total_prompt_count ?? 0)
    }
    return deriveContinuity(path, { after: told.last_uuid ?? undefined }).promptCount
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return 0
    throw error
  }
}
