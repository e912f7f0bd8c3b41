// The hooks of Gemini CLI, tried with 0.61.0. They do not say everything, or not correctly, so some of
// it is read from the end of the chat file, which the client writes before it calls a hook:
// - No call has an id. A call is known by the message that made it, its tool and its input.
// - `prompt_response` repeats parts of a reply that came in several pieces.
// - The text that the model writes before a call is in no event.

import { isAbsolute } from 'node:path'
import type { FileSystem } from '../../environment/index.js'
import { findText, type HookFields, toFields } from '../read-input.js'
import type { TranslatedClient, TranslatedEvent } from './client.js'

const EVENTS = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'AfterAgent',
  'SessionEnd',
]

export const GEMINI: TranslatedClient = {
  name: 'gemini',
  title: 'Gemini CLI',
  events: EVENTS,
  unused: {
    client: 'Gemini CLI 0.61.0',
    // PreCompress is called before every request, also where nothing is compressed.
    events: [
      ...['PreCompress', 'BeforeModel', 'AfterModel', 'BeforeToolSelection', 'Notification'],
    ],
  },
  settings: {
    folder: '.gemini',
    file: 'settings.json',
    variable: 'GEMINI_CLI_HOME',
    below: '.gemini',
  },
  forms: ['shell', 'name'],
  // Milliseconds.
  timeout: 5000,
  isDisabled: ({ hooksConfig }) => toFields(hooksConfig)['enabled'] === false,
  projectVariable: 'GEMINI_PROJECT_DIR',

  translate(event, { transcript_path, ...fields }, fs) {
    const readMessage = () => readLastMessage(fs, transcript_path)
    switch (event) {
      case 'SessionStart':
      case 'SessionEnd':
        return { event, fields }
      case 'BeforeAgent':
        return { event: 'UserPromptSubmit', fields: { ...fields, prompt: toPrompt(fields) } }
      case 'BeforeTool':
        return { event: 'PreToolUse', fields: toCall(fields, readMessage()) }
      case 'AfterTool':
        return toToolResult(toCall(fields, readMessage()))
      case 'AfterAgent':
        return { event: 'Stop', fields: toStop(fields, readMessage()) }
      default:
        return undefined
    }
  },
}

// With -p, what a hook injects at the start is put before the first prompt; `<` in it is escaped.
const INJECTED = /^<hook_context>[^<]*<\/hook_context>\s*/

function toPrompt(fields: HookFields): string | undefined {
  return findText(fields, 'prompt')?.replace(INJECTED, '')
}

function toCall(fields: HookFields, message: HookFields | undefined): HookFields {
  const id = message && findText(message, 'id')
  if (id === undefined) return fields
  return {
    ...fields,
    tool_use_id: makeCallId(id, fields),
    preceding_message_id: id,
    preceding_message: findText(message!, 'content'),
  }
}

/** Equal for the call and its result. */
function makeCallId(messageId: string, { tool_name, tool_input }: HookFields): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const text = JSON.stringify([messageId, tool_name, tool_input])
  return `hook_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

/** The result as the model reads it. */
function toToolResult(fields: HookFields): TranslatedEvent {
  const { llmContent, error } = toFields(fields['tool_response'])
  const tool_response = toContent(llmContent ?? fields['tool_response'])
  return error === undefined
    ? { event: 'PostToolUse', fields: { ...fields, tool_response } }
    : { event: 'PostToolUseFailure', fields: { ...fields, error: tool_response } }
}

/** Texts as one text; anything else stays as it is. */
function toContent(content: unknown): unknown {
  const parts: unknown[] = Array.isArray(content) ? content : [content]
  const texts = parts.map((part) => findText(toFields(part), 'text'))
  return texts.includes(undefined) ? content : texts.join('\n')
}

function toStop(fields: HookFields, message: HookFields | undefined): HookFields {
  // A message with calls was recorded with the first of them.
  const isReply = message?.['toolCalls'] === undefined
  const reply = message === undefined ? fields['prompt_response'] : message['content']
  return { ...fields, last_assistant_message: isReply ? reply : undefined }
}

// A message of the model has no output of tools, so its line is short.
const END_BYTES_MAX = 1024 * 1024

/** The newest message of the model in a chat file; `undefined` where there is none to be found. */
function readLastMessage(fs: FileSystem, path: unknown): HookFields | undefined {
  if (typeof path !== 'string' || !isAbsolute(path)) return undefined
  for (const line of readEnd(fs, path).split('\n').reverse()) {
    const message = parseLine(line)
    if (message['type'] === 'gemini') return message
  }
  return undefined
}

function readEnd(fs: FileSystem, path: string): string {
  if (fs.statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return ''
  const fd = fs.openSync(path, 'r')
  try {
    const { size } = fs.fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, END_BYTES_MAX))
    const count = fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8', 0, count)
  } finally {
    fs.closeSync(fd)
  }
}

function parseLine(line: string): HookFields {
  // Most lines are changes of the chat, and some of them are long.
  if (!line.startsWith('{"id"')) return {}
  try {
    return toFields(JSON.parse(line))
  } catch {
    // The client is writing it, or it began before the part that was read.
    return {}
  }
}
