// Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, subagents in a folder named
// by their session. The first line tells about the chat; older chats are one JSON object.

import { firstText, isObject, textOf } from './fields.js'
import { GEMINI, GeminiRun } from './gemini-run.js'
import type { ForeignValue, Importer, SourceFacts } from './importer.js'
import { toTime } from './time.js'

const TYPES = new Set(['user', 'gemini', 'info', 'warning', 'error'])

export const gemini: Importer = {
  format: GEMINI,
  harness: 'Gemini CLI',
  detects: ([head]) => head !== undefined && isHead(head),
  isRecord: (value) =>
    isHead(value) || isMessage(value) || isObject(value['$set']) || '$rewindTo' in value,
  describe,
  start: (context) => new GeminiRun(context),
}

function isHead(value: ForeignValue): boolean {
  if (typeof value['sessionId'] !== 'string' || 'uuid' in value || 'parentUuid' in value)
    return false
  return 'projectHash' in value || 'startTime' in value
}

function isMessage({ id, type, timestamp }: ForeignValue): boolean {
  return typeof id === 'string' && typeof timestamp === 'string' && TYPES.has(String(type))
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const head = first.find(isHead) ?? {}
  const directories = Array.isArray(head['directories']) ? head['directories'] : []
  return {
    session_id: textOf(head['sessionId']) ?? name,
    start_ts: toTime(head['startTime']),
    cwd: firstText(directories),
    kind: head['kind'] === 'subagent' ? 'subagent' : undefined,
  }
}
