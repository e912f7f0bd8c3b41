// What a header says of its session, for a listing.

import { basename } from 'node:path'
import { fieldsOf, knownTimeOf, textOf } from '../../format/fields.js'
import type { SessionEvent } from '../../format/index.js'
import type { SessionKind } from './session-info.js'

/** Without a header the id follows from the name of the file. */
export function headerFields(path: string, header: SessionEvent | undefined) {
  const fields = fieldsOf(header?.payload)
  const resumedFrom = fieldsOf(fields['resumed_from'])
  const forkedFrom = fieldsOf(fields['forked_from'])
  const resumedId = textOf(resumedFrom['session_id'])
  const forkedId = textOf(forkedFrom['session_id'])
  return {
    sessionId: textOf(fields['session_id']) ?? idOfFileName(path),
    path,
    project: textOf(fields['project']) ?? textOf(fields['cwd']),
    projectNormalized: textOf(fields['project_normalized']),
    kind: kindOf(header?.type, fields['kind']),
    harness: textOf(fields['harness']),
    agentId: textOf(fields['agent_id']),
    parentSessionKey: textOf(fields['parent_session_key']),
    startedAt: knownTimeOf(fields['start_ts']) ?? knownTimeOf(header?.ts),
    resumedFrom:
      resumedId === null
        ? null
        : { sessionId: resumedId, tipUuid: textOf(resumedFrom['tip_uuid']) },
    forkedFrom:
      forkedId === null ? null : { sessionId: forkedId, atUuid: textOf(forkedFrom['at_uuid']) },
  }
}

function kindOf(headerType: string | undefined, kind: unknown): SessionKind {
  if (kind === 'headless' || kind === 'subagent') return kind
  return headerType === 'sidechain_header' ? 'subagent' : 'interactive'
}

/** Undoes `fileNameOf`, but for ids that were too long for a name. */
export function idOfFileName(path: string): string {
  const name = basename(path, '.jsonl')
  try {
    return decodeURIComponent(name)
  } catch {
    // Not named by us.
    return name
  }
}
