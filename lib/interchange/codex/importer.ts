// Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. Each line has a time, a type
// and a payload; the oldest files hold bare items, some after a line about the session.

import { fieldsOf, isObject, textOf, toTime } from '../import/fields.js'
import type { ForeignValue, Importer, SourceFacts } from '../import/importer.js'
import { eventOf } from './items.js'
import { CODEX, CodexRun } from './run.js'

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
  folder: {
    variable: 'CODEX_HOME',
    home: ['.codex'],
    inside: ['sessions', 'archived_sessions'],
    depth: 3,
    isTranscript: (name) => name.endsWith('.jsonl'),
  },
  detects: (first) => first.some(isLine) || isFlat(first),
  isRecord: isLine,
  describe,
  start: (context) => new CodexRun(context),
}

function isLine({ type, payload }: ForeignValue): boolean {
  return typeof type === 'string' && TYPES.has(type) && isObject(payload)
}

/** Bare items, each with a time or after a line that has one, without links between them. */
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
  const id = textOf(meta['id']) ?? textOf(meta['session_id']) ?? textOf(bare['id'])
  const parent = textOf(meta['parent_thread_id'])
  return {
    sessionId: id ?? thread ?? name,
    startTs: toTime(meta['timestamp'] ?? head['timestamp'] ?? head['created_at']),
    cwd: textOf(meta['cwd']),
    kind: parent !== undefined ? 'subagent' : meta['source'] === 'exec' ? 'headless' : undefined,
    parentSessionKey: parent,
    previousSessionKey: textOf(meta['forked_from_id']),
  }
}
