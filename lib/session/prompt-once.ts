// A prompt, or something to remember, from a process that lives for nothing else: for harnesses
// without a handle. What a living session keeps in memory is derived from the log here.

import type { ContinuityOptions } from '../continuity/index.js'
import { SessionError } from '../errors.js'
import { normalizeSessionKey, type PayloadByType } from '../format/index.js'
import { append_history, layoutOf } from '../store/index.js'
import {
  type AppendReceipt,
  type AppendTranscriptOptions,
  append_transcript,
} from './append-transcript.js'
import { checkpointOnce } from './checkpoint-once.js'
import { promptText } from './prompt-history.js'
import { asWritten } from './redaction.js'
import { storedIdOf } from './storage.js'

export interface OnceOptions extends AppendTranscriptOptions {
  /** `false`: no checkpoint is ever made of it. */
  continuity?: ContinuityOptions | false | undefined
}

export interface PromptInput {
  readonly session_id: string
  readonly content: PayloadByType['user']['content']
  readonly uuid?: string | undefined
}

export type PromptedOnce = AppendReceipt & {
  readonly history_offset: number | null
  /** The checkpoint that fell due by this prompt. */
  readonly checkpoint_id: string | null
}

/** The `user` event, the line of the history, and the checkpoint if one is due, in this order. */
export async function promptOnce(
  { session_id, content, uuid }: PromptInput,
  options: OnceOptions = {},
): Promise<PromptedOnce> {
  const id = normalizeSessionKey(session_id)
  const event = { type: 'user', uuid, payload: { content } } as const
  const receipt = await append_transcript({ session_id: id, event }, options)
  // Whoever tries again by the same uuid has said it once.
  if (receipt.duplicate === true) return { ...receipt, history_offset: null, checkpoint_id: null }
  const { payload } = asWritten(options)(event)
  const recorded = await append_history(promptText((payload as typeof event.payload).content), id, {
    ...options,
    project: options.facts?.project,
    event_uuid: receipt.uuid,
  })
  const checkpoint_id = await checkpointIfDue(id, receipt, options)
  return { ...receipt, history_offset: recorded?.offset ?? null, checkpoint_id }
}

/** It stands in the next checkpoint of the session. Into a session that is open it is queued. */
export async function rememberOnce(
  session: string,
  text: string,
  options: AppendTranscriptOptions = {},
): Promise<AppendReceipt & { readonly session_id: string }> {
  if (text.trim() === '') throw new SessionError('ERR_ARG', 'There is nothing to remember in it')
  const session_id = storedIdOf(session, options)
  const event = { type: 'remember', payload: { text } }
  return { session_id, ...(await append_transcript({ session_id, event }, options)) }
}

/** The checkpoint that falls due by a prompt that stands there; `null` for none. */
export async function checkpointIfDue(
  id: string,
  { uuid, byte_offset }: Pick<AppendReceipt, 'uuid' | 'byte_offset'>,
  options: OnceOptions,
): Promise<string | null> {
  if (byte_offset === undefined) return null
  let storedId: string | null = null
  const path = layoutOf(options).transcriptPath(id)
  const { harness } = options.facts ?? {}
  const once = checkpointOnce(id, path, { ...options, harness }, (stored) => {
    storedId = stored
  })
  once?.checkpointer.afterPrompt(once.session, {
    facts: () => ({ transcript_offset: byte_offset + 1, last_uuid: uuid }),
  })
  await once?.checkpointer.queue.flush()
  return storedId
}
