// Claude Code: `~/.claude/projects/<slug>/<session>.jsonl`, and a file for each subagent. One tree of
// lines linked by `parentUuid`, with facts about the session between them.

import { CLAUDE_CODE, ClaudeRun } from './claude-run.js'
import { firstText } from './fields.js'
import type { ForeignValue, Importer, SourceFacts } from './importer.js'
import { toTime } from './time.js'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Lines without a uuid that only Claude Code writes. */
const FACTS = new Set([
  'ai-title',
  'custom-title',
  'file-history-snapshot',
  'file-history-delta',
  'last-prompt',
  'permission-mode',
  'pr-link',
  'queue-operation',
  'summary',
  'tag',
])

export const claudeCode: Importer = {
  format: CLAUDE_CODE,
  harness: 'Claude Code',
  detects: (first) => first.some(isLine) || (first.length > 0 && first.every(isFact)),
  isRecord: (value) => isLine(value) || isFact(value) || isSessionLine(value),
  describe,
  start: (context) => new ClaudeRun(context),
}

function isLine(value: ForeignValue): boolean {
  if (typeof value['type'] !== 'string' || typeof value['uuid'] !== 'string') return false
  return 'parentUuid' in value || isSessionLine(value)
}

function isSessionLine({ type, sessionId }: ForeignValue): boolean {
  return typeof type === 'string' && typeof sessionId === 'string'
}

function isFact({ type, ...rest }: ForeignValue): boolean {
  if (typeof type !== 'string' || !FACTS.has(type)) return false
  // pi and others have a "summary", too; Claude's names a leaf.
  return type !== 'summary' || 'leafUuid' in rest
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const told = firstText(first.map(({ sessionId }) => sessionId))
  const lines = first.filter(isLine)
  const isTask = lines.length > 0 && lines.every(({ isSidechain }) => isSidechain === true)
  const facts = {
    start_ts: lines.map(({ timestamp }) => toTime(timestamp)).find((ts) => ts !== undefined),
    cwd: firstText(first.map(({ cwd }) => cwd)),
  }
  if (isTask && told !== undefined) {
    const agent = firstText(lines.map(({ agentId }) => agentId))
    return { ...facts, session_id: told, task_id: agent ?? name }
  }
  const session_id = UUID.test(name) ? name : (told ?? name)
  const kind = lines.some(({ entrypoint }) => entrypoint === 'sdk-cli') ? 'headless' : undefined
  return { ...facts, session_id, kind }
}
