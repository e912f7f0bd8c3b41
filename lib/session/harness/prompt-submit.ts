// A prompt is submitted: it is recorded, and before it the last reply, if the harness hands that over
// and no hook reported it. Nothing is injected into a prompt.

import { wordsOf } from '../../chain/index.js'
import type { NewEvent } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'
import { type HookRecordOptions, recordEvent, recordPrompt } from '../record/hook-events.js'
import { type LogEnd, REPEAT_MS } from '../record/log-end.js'
import { type HarnessAnswer, type HarnessRequest, isText, openCall } from './requests.js'

export interface PromptRequest extends HarnessRequest {
  /** What the person typed. It wins over `userPrompt`. */
  readonly userMessage?: string | undefined
  /** What the model gets. */
  readonly userPrompt?: string | undefined
  /** The reply to the prompt before this one. */
  readonly lastAssistantMessage?: string | undefined
  /** The harness's own id of the prompt. */
  readonly promptId?: string | undefined
}

export interface PromptResponse extends HarnessAnswer {
  /** Always empty: what is known is injected at the start, and found by a search. */
  readonly inject: ''
}

/** Records a prompt. One without a text, or without a session, records nothing. */
export async function submitPrompt(
  given: StoreContext,
  request: PromptRequest,
  recordOptions: HookRecordOptions = {},
): Promise<PromptResponse> {
  const { userMessage, userPrompt, lastAssistantMessage, promptId: nativeId } = request
  const { store, sessionId, options } = openCall(given, request, recordOptions)
  const content = [userMessage, userPrompt].find(isText)
  if (sessionId === undefined) return { sessionId: null, inject: '' }
  if (isText(lastAssistantMessage)) {
    const prompt = { content, nativeId }
    await recordReply(store, sessionId, lastAssistantMessage, { prompt, options })
  }
  if (content === undefined) return { sessionId, inject: '' }
  const event = { sessionId, source: 'UserPromptSubmit', nativeId, content }
  const { status } = await recordPrompt(store, event, options)
  return { sessionId, inject: '', status }
}

interface ReplyContext {
  readonly prompt: {
    readonly content: string | undefined
    readonly nativeId: string | undefined
  }
  readonly options: HookRecordOptions
}

/** Unless the log ends with this reply, or with the prompt itself: then both are recorded. */
export async function recordReply(
  store: StoreContext,
  sessionId: string,
  reply: string,
  { prompt, options }: ReplyContext,
): Promise<void> {
  const isKnown = ({ last, now }: LogEnd) => {
    const words = last === undefined ? '' : wordsOf(last.payload).trim()
    if (last?.type === 'assistant') return words === reply.trim()
    const isRecent = last !== undefined && Math.abs(now - Date.parse(last.ts)) < REPEAT_MS
    return last?.type === 'user' && isRecent && words === prompt.content?.trim()
  }
  const events = (end: LogEnd): readonly NewEvent[] =>
    isKnown(end) ? [] : [{ type: 'assistant', payload: { content: reply } }]
  const { nativeId } = prompt
  await recordEvent(
    store,
    { sessionId, source: 'lastAssistantMessage', nativeId, events, mayRepeat: true },
    options,
  )
}
