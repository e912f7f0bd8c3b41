// Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. Each line has a time, a type
// and a payload; the oldest files hold the items bare, some after a line about the session.

import { eventOf } from './codex-items.js'
import { CODEX, CodexRun } from './codex-run.js'
import { fieldsOf, isObject, textOf } from './fields.js'
import type { ForeignValue, Importer, SourceFacts } from './importer.js'
import { toTime } from './time.js'

const TYPES = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'security_risk_score',
])

const THREAD = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

export const codex: Importer = {
  format: CODEX,
  harness: 'Codex',
  detects: (first) => first.some(isLine) || isFlat(first),
  isRecord: isLine,
  describe,
  start: (context) => new CodexRun(context),
}

function isLine({ type, payload }: ForeignValue): boolean {
  return typeof type === 'string' && TYPES.has(type) && isObject(payload)
}

/** Bare items, each with a time or after a line that has one, and none with links between them. */
function isFlat(first: readonly ForeignValue[]): boolean {
  const [head, second] = first
  if (head === undefined || first.some((value) => 'parentUuid' in value || 'uuid' in value)) {
    return false
  }
  if (isItem(head)) return 'timestamp' in head || 'created_at' in head
  const isMeta = typeof head['id'] === 'string' && 'timestamp' in head && !('type' in head)
  return isMeta && (second === undefined || isItem(second) || 'record_type' in second)
}

function isItem(value: ForeignValue): boolean {
  const { role, type } = value
  if (typeof role !== 'string' && typeof type !== 'string') return false
  return eventOf(value, 'any') !== undefined
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const meta = fieldsOf(first.find(({ type }) => type === 'session_meta')?.['payload'])
  const [head = {}] = first
  const bare = 'payload' in head ? {} : head
  const thread = THREAD.exec(name)?.[0]
  const told = textOf(meta['id']) ?? textOf(meta['session_id']) ?? textOf(bare['id'])
  const parent = textOf(meta['parent_thread_id'])
  const forked = textOf(meta['forked_from_id'])
  return {
    session_id: told ?? thread ?? name,
    start_ts: toTime(meta['timestamp'] ?? head['timestamp'] ?? head['created_at']),
    cwd: textOf(meta['cwd']),
    kind: parent !== undefined ? 'subagent' : meta['source'] === 'exec' ? 'headless' : undefined,
    parent_session_key: parent,
    previous_session_key: forked,
  }
}
