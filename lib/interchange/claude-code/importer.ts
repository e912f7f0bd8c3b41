// Claude Code: `~/.claude/projects/<slug>/<session>.jsonl`, and a file for each subagent. One tree of
// lines linked by `parentUuid`, with facts about the session between them.

import { firstText, toTime } from '../import/fields.js'
import type { ForeignValue, Importer, SourceFacts } from '../import/importer.js'
import { CLAUDE_CODE, ClaudeRun } from './run.js'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Types of lines without a uuid that only Claude Code writes. */
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
  folder: {
    variable: 'CLAUDE_CONFIG_DIR',
    home: ['.claude'],
    inside: ['projects'],
    depth: 1,
    // Subagents are imported with their session.
    isTranscript: (name) => name.endsWith('.jsonl') && !name.startsWith('agent-'),
  },
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
  // pi and others have a "summary", too; that of Claude Code names a leaf.
  return type !== 'summary' || 'leafUuid' in rest
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const named = firstText(first.map(({ sessionId }) => sessionId))
  const lines = first.filter(isLine)
  const isTask = lines.length > 0 && lines.every(({ isSidechain }) => isSidechain === true)
  const facts = {
    startTs: lines.map(({ timestamp }) => toTime(timestamp)).find((ts) => ts !== undefined),
    cwd: firstText(first.map(({ cwd }) => cwd)),
  }
  if (isTask && named !== undefined) {
    const agent = firstText(lines.map(({ agentId }) => agentId))
    return { ...facts, sessionId: named, taskId: agent ?? name }
  }
  const sessionId = UUID.test(name) ? name : (named ?? name)
  const kind = lines.some(({ entrypoint }) => entrypoint === 'sdk-cli') ? 'headless' : undefined
  return { ...facts, sessionId, kind }
}
