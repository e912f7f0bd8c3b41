// Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, subagents in a folder named
// by their session. The first line describes the chat; older chats are one JSON object. A chat that is resumed
// in another minute has another file of the same id.

import { firstText, isObject, listOf, textOf, toTime } from '../import/fields.js'
import type { ForeignValue, Importer, SourceFacts } from '../import/importer.js'
import { GeminiRun } from './run.js'

const TYPES = new Set(['user', 'gemini', 'info', 'warning', 'error'])
const SHORT_ID_CHARS = 8

export const gemini: Importer = {
  format: 'gemini',
  harness: 'Gemini CLI',
  folder: { home: ['.gemini'], inside: ['tmp'], depth: 2, isTranscript },
  detects: ([head]) => head !== undefined && isHead(head),
  isRecord: (value) =>
    isHead(value) || isMessageRecord(value) || isObject(value['$set']) || '$rewindTo' in value,
  describe,
  siblings: {
    where: 'folder',
    isNamed: (name, sessionId) =>
      isTranscript(name) && name.includes(`-${sessionId.slice(0, SHORT_ID_CHARS)}.`),
  },
  projectFile: ['..', '.project_root'],
  start: (context) => new GeminiRun(context),
}

function isTranscript(name: string): boolean {
  return name.startsWith('session-') && /\.jsonl?$/.test(name)
}

function isHead(value: ForeignValue): boolean {
  if (typeof value['sessionId'] !== 'string' || 'uuid' in value || 'parentUuid' in value)
    return false
  return 'projectHash' in value || 'startTime' in value
}

function isMessageRecord({ id, type, timestamp }: ForeignValue): boolean {
  return typeof id === 'string' && typeof timestamp === 'string' && TYPES.has(String(type))
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const head = first.find(isHead) ?? {}
  return {
    sessionId: textOf(head['sessionId']) ?? name,
    startTs: toTime(head['startTime']),
    cwd: firstText(listOf(head['directories'])),
    kind: head['kind'] === 'subagent' ? 'subagent' : undefined,
  }
}
