// Makes rollouts of Codex small and free of the vendor's texts, for fixtures. Positions in other files, which
// a rollout names in bytes, are those of the scrubbed files.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const LONG = 2000
const SHOWN = 200

/** A block between tags that the client wrote, unless a person did or we compare what is in it. */
const TAGGED = /^<(?!user_shell_command|subagent_notification)([a-z_ ]+)>[\s\S]*<\/\1>\s*$/
const INSTRUCTIONS = /^(# AGENTS\.md instructions[^\n]*)[\s\S]{300,}$/
const SUMMARY_PREFIX = /^Another language model started[\s\S]*?(?=SUMMARY-\d)/

/** `path`: where the file is; home folders end before `.codex`. */
export function scrubFile(text, path) {
  return scrubLines(text, path).join('\n')
}

/** The list of messages that the client sent, shortened in the same way. */
export function scrubMessages(messages) {
  return messages.map(shortenAll)
}

function scrubLines(text, path) {
  const home = path.slice(0, path.lastIndexOf('/.codex/'))
  return text.split('\n').map((line) => {
    if (line === '') return line
    const record = shortenAll(withoutBallast(JSON.parse(line)))
    const base = record.payload?.history_base
    if (base) base.end_byte_offset = scrubOffset(base, path)
    return JSON.stringify(record).replaceAll(home, '/home/ada')
  })
}

/** The position after as many lines of the scrubbed file. */
function scrubOffset({ thread_id, end_byte_offset }, path) {
  const sessions = path.slice(0, path.indexOf('/sessions/') + '/sessions'.length)
  const name = readdirSync(sessions, { recursive: true }).find((one) =>
    one.endsWith(`${thread_id}.jsonl`),
  )
  const base = join(sessions, name)
  const bytes = readFileSync(base)
  const lines = bytes.toString('utf8', 0, end_byte_offset).split('\n').length - 1
  const kept = scrubLines(bytes.toString('utf8'), base).slice(0, lines)
  return Buffer.byteLength(kept.map((line) => `${line}\n`).join(''))
}

/** What is kept of records that no reader of the conversation needs whole, by their type. */
const KEPT_FIELDS = {
  turn_context: ['cwd', 'approval_policy', 'sandbox_policy', 'model'],
  token_usage_record: ['response_id', 'usage'],
  world_state: ['full'],
  thread_settings_applied: ['type'],
  task_started: ['type'],
  task_complete: ['type'],
}

/** Fields that are left out wherever they are. */
const BALLAST = new Set([
  'internal_chat_message_metadata_passthrough',
  'metadata',
  'context_window',
  'runtime_workspace_roots',
  'base_instructions',
  'provenance',
  'last_usage_includes_reasoning',
  'cache_write_input_tokens',
  'reasoning_output_tokens',
  'model_context_window',
  'rate_limits',
])

function withoutBallast(record) {
  const { type, payload } = record
  const kept = KEPT_FIELDS[payload?.type] ?? KEPT_FIELDS[type]
  if (kept !== undefined) return { ...record, payload: pick(payload, kept) }
  if (payload?.type === 'item_completed' && payload.item.type !== 'CollabAgentToolCall') {
    return { ...record, payload: { type: payload.type, item: pick(payload.item, ['type']) } }
  }
  const total = payload?.info?.total_token_usage
  if (total) {
    const info = { ...payload.info, total_token_usage: pick(total, ['total_tokens']) }
    return { ...record, payload: { ...payload, info } }
  }
  return record
}

function pick(fields, names) {
  return Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])))
}

function shortenAll(value) {
  if (typeof value === 'string') return shorten(value)
  if (Array.isArray(value)) return value.map(shortenAll)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !BALLAST.has(key))
  return Object.fromEntries(kept.map(([key, field]) => [key, shortenAll(field)]))
}

function shorten(text) {
  const [, tag] = TAGGED.exec(text) ?? []
  if (tag !== undefined) return `<${tag}>shortened</${tag}>`
  const known = text
    .replace(INSTRUCTIONS, '$1\n\n<INSTRUCTIONS>\nshortened\n</INSTRUCTIONS>')
    .replace(SUMMARY_PREFIX, 'Summary of another model:\n')
  if (known.length <= LONG) return known
  return `${known.slice(0, SHOWN)} [shortened] ${known.slice(-SHOWN)}`
}
