// pi: `~/.pi/agent/sessions/--<cwd>--/<time>_<id>.jsonl`. Entries name their parents, and the last line
// of the file is the tip. Files of the first version have no ids and no branches.

import { firstText, textOf, toTime } from '../import/fields.js'
import type { ForeignValue, Importer, SourceFacts } from '../import/importer.js'
import { HIDDEN_TYPES } from './messages.js'
import { PiRun } from './run.js'

const TYPES = new Set([
  ...HIDDEN_TYPES,
  'session',
  'message',
  'compaction',
  'branch_summary',
  'custom_message',
])

export const pi: Importer = {
  format: 'pi',
  harness: 'pi',
  folder: {
    variable: 'PI_CODING_AGENT_DIR',
    ownVariable: 'PI_CODING_AGENT_SESSION_DIR',
    home: ['.pi', 'agent'],
    inside: ['sessions'],
    depth: 1,
    isTranscript: (name) => name.endsWith('.jsonl'),
  },
  detects: ([head]) => head !== undefined && isHeader(head),
  isRecord: ({ type, timestamp }) =>
    typeof type === 'string' && TYPES.has(type) && timestamp !== undefined,
  describe,
  start: (context) => new PiRun(context),
}

function isHeader({ type, id, timestamp }: ForeignValue): boolean {
  return type === 'session' && typeof id === 'string' && timestamp !== undefined
}

function describe(first: readonly ForeignValue[], name: string): SourceFacts {
  const header = first.find(isHeader) ?? {}
  const previous = firstText([header['parentSession'], header['branchedFrom']])
  return {
    sessionId: textOf(header['id']) ?? name,
    startTs: toTime(header['timestamp']),
    cwd: textOf(header['cwd']),
    previousSessionKey: previous && readSessionId(previous),
  }
}

/** The session of a file: its name is `<time>_<id>.jsonl`, and an id may have underscores, too. */
function readSessionId(path: string): string | undefined {
  return /(?:^|[/\\])(?:[^/\\_]*_)?([^/\\]+?)(?:\.jsonl)?$/.exec(path)?.[1]
}
