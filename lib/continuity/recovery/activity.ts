// What a session without an end was doing, from the end of its transcript: the newest prompts, the
// last reply, the tool calls and which of them have no result. A bounded read; nothing is stored.

import { type AnyMessage, BranchBackward, fieldsOf, pairTools, wordsOf } from '../../chain/index.js'
import { oneLine, shorten } from '../../format/index.js'
import { openIfThere, readLogBackwardSync } from '../../log/index.js'
import type { StoreContext } from '../../store/index.js'
import type { RedactText } from '../redact-words.js'
import { promptOf, textOf } from '../state/continuity.js'

export interface Activity {
  /** The newest event of the chain. */
  readonly uuid: string
  readonly ts: string
  /** One line each, redacted. */
  readonly prompts: readonly string[]
  /** Redacted, in sections. */
  readonly text: string
  /** More than a prompt: the model replied or called a tool. */
  readonly hasWork: boolean
}

// Far more than fits into a recovery text. A longer last line is read all the same.
const TAIL_BYTES = 256 * 1024
// Behind a turn of many tools, the prompt that started it.
const PROMPT_BYTES = 8 * 1024 * 1024
const EVENTS_MAX = 200
const PROMPTS_MAX = 5
const CALLS_MAX = 8
const REMEMBERS_MAX = 5
const PROMPT_CHARS = 300
const CALL_CHARS = 160
const REPLY_CHARS = 500
// Texts are redacted before they are cut, because no rule recognizes half a secret.
const REDACTED_CHARS = 16 * 1024
// The part of a tool's input that says what it is about.
const SUBJECTS = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'description']

export interface ActivityOptions {
  /** Only what came after this event. */
  readonly after?: string | null | undefined
  readonly redact: RedactText
}

/** `undefined` when nothing came after that event, or nothing was said. */
export function readActivity(
  store: StoreContext,
  sessionKey: string,
  { after, redact }: ActivityOptions,
): Activity | undefined {
  const { messages, remembers } = readTail(store, sessionKey, after)
  const tip = messages.at(-1)
  if (tip === undefined) return undefined
  const line = (text: string, chars: number) =>
    shorten(oneLine(redact(text.slice(0, REDACTED_CHARS))), chars)
  const prompts = messages
    .flatMap(({ type, payload }) => (type === 'user' ? (promptOf(payload) ?? []) : []))
    .filter((prompt) => prompt.trim() !== '')
    .slice(-PROMPTS_MAX)
    .map((prompt) => line(prompt, PROMPT_CHARS))
  const { calls, results } = pairTools(messages)
  const shownCalls = calls.slice(-CALLS_MAX).map((call) => {
    const result = results.get(call)
    const isError = fieldsOf(messages[result?.message ?? -1]?.payload)['is_error'] === true
    const outcome = result === undefined ? ' (no result)' : isError ? ' (failed)' : ''
    return line(`${call.name} ${subjectOf(call.input)}`, CALL_CHARS) + outcome
  })
  const reply = messages
    .flatMap(({ type, payload }) => (type === 'assistant' ? wordsOf(payload) : []))
    .findLast((words) => words.trim() !== '')
  const sections = [
    listOf('Prompts', prompts),
    reply === undefined ? '' : `Last reply: ${line(reply, REPLY_CHARS)}`,
    listOf('Tool calls', shownCalls),
    listOf(
      'Remembered',
      remembers.map((text) => line(text, PROMPT_CHARS)),
    ),
  ]
  const text = sections.filter((section) => section !== '').join('\n')
  const hasWork = reply !== undefined || calls.length > 0
  return text === '' ? undefined : { uuid: tip.uuid, ts: tip.ts, prompts, text, hasWork }
}

function listOf(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${title}:\n${items.map((item) => `- ${item}`).join('\n')}`
}

function subjectOf(input: unknown): string {
  const fields = fieldsOf(input)
  const subject = SUBJECTS.map((name) => fields[name]).find((value) => typeof value === 'string')
  return typeof subject === 'string' ? subject : (JSON.stringify(input) ?? '')
}

/** The newest messages of the branch that the session was on, oldest first. */
function readTail(store: StoreContext, sessionKey: string, after: string | null | undefined) {
  const messages: AnyMessage[] = []
  const remembers: string[] = []
  const { env } = store
  const log = openIfThere(store.layout.transcriptPath(sessionKey), env)
  if (log === undefined) return { messages, remembers }
  const branch = new BranchBackward()
  let count = 0
  let hasPrompt = false
  try {
    for (const entry of readLogBackwardSync(log, { environment: env, lazyPayloads: true })) {
      const distance = log.size - entry.byte_offset
      const isFar = (distance > TAIL_BYTES && count > 0) || count === EVENTS_MAX
      if (isFar && (hasPrompt || distance > PROMPT_BYTES)) break
      if (entry.kind !== 'event') branch.forget()
      else {
        const { event } = entry
        if (event.uuid === after) break
        if (event.type === 'remember' && !isFar) remembers.push(textOf(event.payload))
        if (!branch.takes(event)) continue
        const isPrompt = event.type === 'user' && (promptOf(event.payload) ?? '').trim() !== ''
        hasPrompt ||= isPrompt
        if (isFar && !isPrompt) continue
        messages.push(event)
        if (!isFar) count++
      }
    }
  } finally {
    env.fs.closeSync(log.fd)
  }
  const newest = remembers.slice(0, REMEMBERS_MAX)
  return { messages: messages.reverse(), remembers: newest.reverse() }
}
