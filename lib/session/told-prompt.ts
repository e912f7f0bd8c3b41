// A prompt that a harness tells of: the event, the line of the history, and the checkpoint that
// falls due by it. What fails behind the event is reported: the prompt itself is recorded.

import { isSessionError } from '../errors.js'
import { diagnostic, normalizeSessionKey } from '../format/index.js'
import { append_history, projectOfSession } from '../store/index.js'
import { checkpointIfDue, type OnceOptions } from './prompt-once.js'
import { recordTold, type Told, type ToldReceipt } from './told-record.js'
import { withoutUndefined } from './without-undefined.js'

export interface ToldPrompt extends Omit<Told, 'events'> {
  readonly content: string
}

export interface ToldPromptOptions extends OnceOptions {
  /** How long to wait for the history and for the checkpoints: the prompt is recorded by then. */
  readonly lockTimeoutAfterMs?: number | undefined
}

export async function promptTold(
  { content, ...told }: ToldPrompt,
  options: ToldPromptOptions = {},
): Promise<ToldReceipt> {
  const id = normalizeSessionKey(told.session_id)
  const payload = withoutUndefined({ content, prompt_id: told.nativeId })
  const receipt = await recordTold({ ...told, events: [{ type: 'user', payload }] }, options)
  const { status, uuid, byte_offset } = receipt
  if (status === 'duplicate' || uuid === undefined) return receipt
  const after = { ...options, lockTimeoutMs: options.lockTimeoutAfterMs }
  await reportFailure(after, 'history_not_written', () =>
    append_history(content, id, {
      ...after,
      project: projectOfSession(id, after) ?? after.facts?.project,
      event_uuid: uuid,
      lineNumbers: false,
      // The transcript was synced a moment ago, and has the prompt.
      durability: 'none',
    }),
  )
  if (byte_offset !== undefined) {
    const place = { uuid, byte_offset }
    await reportFailure(after, 'checkpoint_lost', () => checkpointIfDue(id, place, after))
  }
  return receipt
}

async function reportFailure(
  { onDiagnostic }: OnceOptions,
  code: 'history_not_written' | 'checkpoint_lost',
  step: () => Promise<unknown>,
): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (!isSessionError(error)) throw error
    onDiagnostic?.(diagnostic(code, `The prompt is in the transcript, but: ${error.message}`))
  }
}
