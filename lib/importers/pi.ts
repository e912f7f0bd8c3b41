// pi: `~/.pi/agent/sessions/--<cwd>--/<time>_<id>.jsonl`. A tree of entries; the last line of the
// file is where the conversation stands. Files of the first version have no ids and no branches.

import { firstText, textOf } from './fields.js'
import type { ForeignValue, Importer, SourceFacts } from './importer.js'
import { PI, PiRun } from './pi-run.js'
import { toTime } from './time.js'

const TYPES = new Set([
  'session',
  'message',
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
])

export const pi: Importer = {
  format: PI,
  harness: 'pi',
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
  return {
    session_id: textOf(header['id']) ?? name,
    start_ts: toTime(header['timestamp']),
    cwd: textOf(header['cwd']),
    previous_session_key: sessionOfPath(
      firstText([header['parentSession'], header['branchedFrom']]),
    ),
  }
}

/** Other sessions are named by their path; the id is the last part of the name. */
function sessionOfPath(path: string | undefined): string | undefined {
  return path === undefined ? undefined : /([^/\\_]+?)(?:\.jsonl)?$/.exec(path)?.[1]
}
