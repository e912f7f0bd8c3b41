// One event into a session, from a script or a shell.

import { openMemoryLog } from '../../../log/index.js'
import { appendTranscript } from '../../../session/index.js'
import { workingFolder } from '../../../store/index.js'
import { type Call, type Command, DRY_RUN, UsageError } from '../../command.js'
import { readChoice } from '../../input/arguments.js'
import { readStdin } from '../../input/text-input.js'
import { findJsonError } from '../../output/json-error.js'
import { answer, answerDryRun } from '../../output/print.js'

const LESSON = `The event follows the newest one of the session unless --prev names another. Appending the same
--uuid again writes nothing, however long ago that was, so a script may retry.

Examples:
  $ jsonl-session append demo --type user --payload '{"content":"hello"}'
  appended user 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a at byte 377, line 2 of
  /home/ada/.jsonl-session/.transcripts/demo.jsonl

  $ echo '{"content":"hi"}' | jsonl-session append demo --type assistant --payload - --json
  {"uuid":"6a4f…","byteOffset":591,"lineNumber":3,"duplicate":false}

Exit codes:
  0 appended, or already there · 2 wrong use, rejected, or failed · 5 locked by another process
`

const DURABILITIES = ['none', 'turn', 'always'] as const

export const append: Command = {
  name: 'append',
  summary: 'Append one event to a session; a new one gets its header first',
  operand: '<session>',
  operandText: 'the id of the session',
  options: [
    {
      name: 'type',
      value: 'T',
      text: 'the type of the event: user, assistant, tool_call, …',
      values: ['user', 'assistant', 'system', 'tool_call', 'tool_result', 'session_end'],
      isOpen: true,
    },
    {
      name: 'payload',
      value: 'JSON',
      text: 'a JSON object, or - to read it from stdin (default: {})',
    },
    { name: 'uuid', value: 'U', text: 'the uuid of the event (default: a new random one)' },
    { name: 'prev', value: 'U', text: 'the event it follows (default: the newest)' },
    {
      name: 'durability',
      value: 'WHEN',
      text: 'when to sync to the disk: none, turn or always (default: turn)',
      values: DURABILITIES,
    },
    DRY_RUN,
  ],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const sessionId = call.operands[0]!
    const type = call.value('type')
    const durability = readChoice(call, 'durability', DURABILITIES)
    if (type === undefined) throw new UsageError('append needs --type, for example --type user')
    const payload = await readPayload(call)
    const event = { type, payload, uuid: call.value('uuid'), prev_uuid: call.value('prev') }
    const path = call.store.layout.transcriptPath(sessionId)
    if (call.has('dry-run')) {
      // A log in memory rejects what a file would.
      await openMemoryLog(sessionId, { channel: 'transcript', environment: call.env }).append({
        ...event,
        prev_uuid: undefined,
      })
      return answerDryRun(call, { sessionId, type, path }, `would append ${type} to ${path}`)
    }
    const receipt = await appendTranscript(
      call.store,
      { session_id: sessionId, event },
      {
        // As with prompt: a search of this project finds it.
        facts: { project: workingFolder(call.io) },
        durability,
      },
    )
    const { uuid } = receipt
    if (receipt.queued === true) {
      const what = `queued ${uuid}: another process has this session open and will write it`
      return answer(call, { uuid, queued: true }, what)
    }
    const { byteOffset, lineNumber, duplicate = false } = receipt
    const what = duplicate ? `nothing written, already there: ${type}` : `appended ${type}`
    return answer(
      call,
      { uuid, byteOffset, lineNumber, duplicate },
      `${what} ${uuid} at byte ${byteOffset}, line ${lineNumber} of ${path}`,
    )
  },
}

const EXAMPLE = `Example: --payload '{"content":"hello"}'`
const CHARS_AROUND = 30

/** The payload that was given, `{}` without one; `-` reads stdin. */
async function readPayload(call: Call): Promise<Record<string, unknown>> {
  const given = call.value('payload')
  if (given === undefined) return {}
  const text = given === '-' ? await readStdin(call, 'payload') : given
  if (text.trim() === '') throw new UsageError(`The payload is empty. ${EXAMPLE}`)
  try {
    // Whether it is an object is checked with every other event.
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw toPayloadError(text)
  }
}

function toPayloadError(text: string): UsageError {
  const position = findJsonError(text)
  const lines = text.slice(0, position).split('\n')
  const line = lines.length
  const column = lines.at(-1)!.length + 1
  const what = position === text.length ? 'ends too early' : 'is not JSON'
  return new UsageError(
    `The payload ${what} at position ${position} (line ${line}, column ${column}):\n` +
      `${pointAt(text, position)}\n${EXAMPLE}`,
    { position, line, column },
  )
}

/** The text around a position, and under it an arrow. */
function pointAt(text: string, position: number): string {
  const start = Math.max(0, position - CHARS_AROUND)
  const shown = (part: string) => part.replace(/[\s\u0000-\u001f\u007f-\u009f]/gu, ' ')
  const before = `${start > 0 ? '…' : ''}${shown(text.slice(start, position))}`
  const end = position + CHARS_AROUND
  const after = `${shown(text.slice(position, end))}${end < text.length ? '…' : ''}`
  return `  ${before}${after}\n  ${' '.repeat(before.length)}^`
}
