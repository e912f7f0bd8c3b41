// A suggestion to an agent that has worked long without storing a checkpoint in its own words. Only
// for hosts that ask for it.

import { isSessionError, SessionError } from '../../errors.js'
import { normalizeSessionKey } from '../../format/index.js'
import { type CheckpointPayload, listCheckpoints, type StoreContext } from '../../store/index.js'
import { type CheckpointLike, deriveContinuity } from '../state/derive-state.js'

export interface NudgeOptions {
  /**
   * Prompts since the agent last stored a checkpoint in its own words.
   *
   * @default 15
   */
  after?: number | undefined
}

const PROMPTS_USUAL = 15
const OWN_WORDS = ['agent', 'explicit']

/** `undefined` while there is no need, and for an unknown session. */
export function checkpointNudge(
  store: StoreContext,
  sessionKey: string,
  { after = PROMPTS_USUAL }: NudgeOptions = {},
): string | undefined {
  if (!Number.isSafeInteger(after) || after < 1) {
    throw new SessionError('ERR_ARG', `nudgeAfter must be 1 or more, not ${after}`, {
      after,
    })
  }
  const session = normalizeSessionKey(sessionKey)
  const found = listCheckpoints(store, { session }).checkpoints
  const checkpoints = found.map(({ checkpoint }) => checkpoint)
  const prompts = countPromptsSince(
    checkpoints.find(({ trigger }) => OWN_WORDS.includes(trigger)),
    checkpoints.find(hasOffset),
    store,
    session,
  )
  if (prompts < after) return undefined
  const count = prompts === 1 ? '1 prompt' : `${prompts} prompts`
  return (
    `${count} since the last checkpoint in your own words. Store one now: what is done, ` +
    'what was decided and why, what is open. Then continue.'
  )
}

const hasOffset = ({ transcript_offset }: CheckpointLike) => typeof transcript_offset === 'number'

/** A checkpoint from outside the session has no prompt count, but names the last event it covers. */
function countPromptsSince(
  ownWords: CheckpointPayload | undefined,
  latest: CheckpointLike | undefined,
  { env: environment, layout }: StoreContext,
  session: string,
): number {
  const path = layout.transcriptPath(session)
  try {
    if (ownWords === undefined || hasOffset(ownWords)) {
      const { totalPromptCount } = deriveContinuity(path, { latest, environment })
      return totalPromptCount - (ownWords?.total_prompt_count ?? 0)
    }
    const after = ownWords.last_uuid ?? undefined
    return deriveContinuity(path, { after, environment }).promptCount
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return 0
    throw error
  }
}
