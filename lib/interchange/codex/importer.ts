// Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. Each line has a time, a type
// and a payload; the oldest files hold bare items, some after a line about the session.

import { fieldsOf, isObject, listOf, textOf, toTime } from '../import/fields.js'
import type { ForeignValue, Importer, SourceFacts } from '../import/importer.js'
import { parseFileName, readContinuation } from './files.js'
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
  'token_usage_record',
])

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
  // Forks and subagents may be in folders of other days.
  siblings: {
    where: 'program',
    isNamed: (name, id) =>
      name.startsWith('rollout-') && name.endsWith('.jsonl') && name.includes(id),
  },
  titles: { name: 'session_index.jsonl', read: readTitle },
  start: (context) => new CodexRun(context),
}

function isLine({ type, payload }: ForeignValue): boolean {
  return typeof type === 'string' && TYPES.has(type) && isObject(payload)
}

/** Items without an envelope, after a line about the session or each with a time. */
function isFlat(first: readonly ForeignValue[]): boolean {
  const [head, ...others] = first
  if (head === undefined || first.some((value) => 'parentUuid' in value || 'uuid' in value)) {
    return false
  }
  const isMeta =
    typeof head['id'] === 'string' &&
    'timestamp' in head &&
    !('type' in head) &&
    ('instructions' in head || 'git' in head)
  if (isMeta) return others.length === 0 || others.some((value) => isItem(value) || isState(value))
  return 'timestamp' in head && first.some(isItem)
}

function isState(value: ForeignValue): boolean {
  return value['record_type'] === 'state'
}

const ITEMS = new Set(['function_call', 'function_call_output', 'local_shell_call', 'reasoning'])

/** Spelled as the Responses protocol does: other programs have roles and contents, too. */
function isItem(value: ForeignValue): boolean {
  const { type, role, content, call_id, summary } = value
  if (type === 'message' && typeof role === 'string') {
    return listOf(content).some((block) => /^(?:in|out)put_/.test(String(fieldsOf(block)['type'])))
  }
  if (!ITEMS.has(String(type))) return false
  return typeof call_id === 'string' || Array.isArray(summary)
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const meta = fieldsOf(first.find(({ type }) => type === 'session_meta')?.['payload'])
  const [head = {}] = first
  const bare = 'payload' in head ? {} : head
  const named = parseFileName(name)
  const id =
    textOf(meta['id']) ?? textOf(meta['session_id']) ?? textOf(bare['id']) ?? named.thread ?? name
  const parent = findParent(meta)
  // A subagent of a subagent belongs to the session in which the first of them began.
  const root = textOf(meta['session_id']) ?? parent
  const isTask = parent !== undefined && root !== undefined && root !== id
  return {
    sessionId: isTask ? root : id,
    startTs: toTime(meta['timestamp'] ?? head['timestamp'] ?? head['created_at']),
    cwd: textOf(meta['cwd']),
    kind: isTask ? 'subagent' : meta['source'] === 'exec' ? 'headless' : undefined,
    previousSessionKey: textOf(meta['forked_from_id']),
    ...(isTask && { taskId: id }),
    fileId: named.file ?? id,
    continues: readContinuation(meta),
  }
}

/** The thread that started this one as a subagent. */
function findParent(meta: ForeignValue): string | undefined {
  const { subagent } = fieldsOf(meta['source'])
  const spawned = fieldsOf(fieldsOf(subagent)['thread_spawn'])
  return textOf(meta['parent_thread_id']) ?? textOf(spawned['parent_thread_id'])
}

function readTitle({ id, thread_name }: ForeignValue) {
  const sessionId = textOf(id)
  const title = textOf(thread_name)
  return sessionId === undefined || title === undefined ? undefined : { sessionId, title }
}
