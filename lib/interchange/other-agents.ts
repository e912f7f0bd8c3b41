// Agents whose sessions cannot be imported, by structures that only they write. Some are close to a
// format that can: without this they would be imported as something else.

import { fieldsOf, isObject, listOf, textOf } from './import/fields.js'
import type { ForeignValue } from './import/importer.js'

export const OTHER_AGENTS = {
  qwen_code: 'It is a session of Qwen Code, which cannot be imported',
  iflow:
    'It is a session of iFlow, which is close to Claude Code; `--from claude-code` imports it as one',
  openclaw: 'It is a session of OpenClaw, which is close to pi; `--from pi` imports it as one',
  droid: 'It is a session or an output stream of Droid, which cannot be imported',
  kimi: 'It is a session of Kimi CLI, which cannot be imported',
  goose: 'It is a session of Goose, which cannot be imported',
  cursor: 'It is a transcript of Cursor, which cannot be imported',
  amp: 'It is a thread of Amp, which cannot be imported',
  gptme: 'It is a conversation of gptme, which cannot be imported',
  chat_lines:
    'Its lines are plain chat messages, which many programs write; none of them is a known agent',
} as const

export type OtherAgent = keyof typeof OTHER_AGENTS

interface Recogniser {
  readonly agent: OtherAgent
  /** Its structure is that of this format, so that a user may ask for it. */
  readonly like?: string
  readonly recognises: (first: readonly ForeignValue[]) => boolean
}

/** The first that recognises a file counts. */
const RECOGNISERS: readonly Recogniser[] = [
  { agent: 'qwen_code', recognises: (first) => first.some(isQwenLine) },
  { agent: 'iflow', like: 'claude-code', recognises: (first) => first.some(isIflowLine) },
  { agent: 'openclaw', like: 'pi', recognises: isOpenClaw },
  { agent: 'droid', recognises: (first) => first.some(isDroidLine) },
  { agent: 'kimi', recognises: (first) => first.some(isKimiLine) },
  { agent: 'goose', recognises: ([head]) => head !== undefined && isGooseHead(head) },
  { agent: 'amp', recognises: ([head]) => head !== undefined && isAmpThread(head) },
  { agent: 'cursor', recognises: (first) => first.length > 0 && first.every(isCursorLine) },
  { agent: 'gptme', recognises: (first) => areChatLines(first) && first.some(isGptmeLine) },
  { agent: 'chat_lines', recognises: areChatLines },
]

/** `formats`: those that may be imported; one that the user named may be close to the agent's. */
export function recogniseOtherAgent(
  first: readonly ForeignValue[],
  formats: readonly string[],
): OtherAgent | undefined {
  const [named] = formats.length === 1 ? formats : []
  const found = RECOGNISERS.find(({ recognises }) => recognises(first))
  return found === undefined || (named !== undefined && found.like === named)
    ? undefined
    : found.agent
}

/** The envelope of Claude Code with the messages of Gemini. */
function isQwenLine({ uuid, message }: ForeignValue): boolean {
  return typeof uuid === 'string' && Array.isArray(fieldsOf(message)['parts'])
}

/** The envelope of Claude Code, in which a session id is a bare UUID. */
function isIflowLine({ uuid, parentUuid, sessionId }: ForeignValue): boolean {
  if (typeof uuid !== 'string' || parentUuid === undefined) return false
  return /^session-[0-9a-f]{8}-/i.test(textOf(sessionId) ?? '')
}

/** The entries of pi, with entries that OpenClaw adds or in a folder of its own. */
function isOpenClaw(first: readonly ForeignValue[]): boolean {
  const [head] = first
  if (head?.['type'] !== 'session') return false
  if (/[/\\]\.(?:openclaw|clawdbot|moltbot)(?:[/\\]|$)/.test(textOf(head['cwd']) ?? '')) return true
  return first.some(({ type, customType }) => {
    const name = type === 'custom' ? (textOf(customType) ?? '') : ''
    return name === 'model-snapshot' || name.startsWith('openclaw')
  })
}

/** Of a stored session the first line; of `droid exec --output-format stream-json` any message. */
function isDroidLine(value: ForeignValue): boolean {
  const { type, session_id } = value
  if (type === 'session_start') return typeof value['id'] === 'string' && 'owner' in value
  if (typeof session_id !== 'string') return false
  if (type === 'message') return typeof value['role'] === 'string' && 'text' in value
  if (type === 'tool_call') return 'toolName' in value && 'parameters' in value
  return type === 'completion' && 'finalText' in value
}

/** Of a context file its marks; of a wire file its head and its messages. */
function isKimiLine(value: ForeignValue): boolean {
  const { role, type, message } = value
  if (role === '_checkpoint' || role === '_usage' || role === '_system_prompt') return true
  if (type === 'metadata') return typeof value['protocol_version'] === 'string'
  const { type: kind, payload } = fieldsOf(message)
  return type === undefined && typeof kind === 'string' && isObject(payload) && 'timestamp' in value
}

function isGooseHead(value: ForeignValue): boolean {
  return typeof value['working_dir'] === 'string' && 'message_count' in value
}

function isAmpThread({ id, v, messages }: ForeignValue): boolean {
  return /^T-/.test(textOf(id) ?? '') && v !== undefined && Array.isArray(messages)
}

function isCursorLine(value: ForeignValue): boolean {
  const { role, message } = value
  if (typeof role !== 'string' || 'type' in value || 'uuid' in value) return false
  const content = fieldsOf(message)['content']
  return listOf(content).length > 0
}

/** Every line has a role and a content, and nothing says which program wrote it. */
function areChatLines(first: readonly ForeignValue[]): boolean {
  return first.length > 0 && first.every(isChatLine)
}

function isChatLine(value: ForeignValue): boolean {
  const { role, content, type, payload } = value
  if (type !== undefined || payload !== undefined || 'record_type' in value) return false
  return typeof role === 'string' && content !== undefined
}

function isGptmeLine(value: ForeignValue): boolean {
  return 'pinned' in value || 'hide' in value || ('files' in value && 'timestamp' in value)
}
