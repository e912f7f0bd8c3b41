// Is a log whole? Reads all of it, checks every line, every link and every payload, and writes
// nothing.

import { walkChain } from '../chain/index.js'
import {
  belongsTo,
  type Diagnostic,
  diagnostic,
  linkOf,
  type PlacedLink,
  type SessionEvent,
} from '../format/index.js'
import { readLog, readLogSync } from '../log/index.js'

export interface VerifyReport {
  readonly path: string
  readonly events: number
  /** Events of the chain that can be reached from its tip. */
  readonly reachable: number
  /** Events that stand on the chain, reachable or not. */
  readonly onChain: number
  readonly findings: readonly Diagnostic[]
}

export async function verifyLog(
  path: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<VerifyReport> {
  const checkPayload = await payloadChecker()
  const findings: Diagnostic[] = []
  const links: PlacedLink[] = []
  let eventCount = 0
  const isHistory = isHistoryLog(path)
  for await (const entry of readLog(path, { isBare: isHistory, signal })) {
    if (entry.diagnostics !== undefined) findings.push(...entry.diagnostics)
    if (entry.kind !== 'event') continue
    const { event, byte_offset, line_number, length } = entry
    eventCount++
    if (!isHistory) links.push({ ...linkOf(event, byte_offset), line_number })
    // What was too long to be read has no payload, and that is told already.
    const isUnread = entry.diagnostics?.some(({ code }) => code === 'oversize_line') === true
    const problem = isUnread ? undefined : checkPayload(event)
    if (problem === undefined) continue
    const where = { file: path, byte_offset, line_number, length, uuid: event.uuid }
    findings.push(diagnostic(isHistory ? 'bad_line' : 'bad_payload', problem, where))
  }
  if (eventCount === 0) {
    findings.push(diagnostic('missing_header', 'The log holds no event', { file: path }))
  }
  const walk = isHistory || links.every(standsAlone) ? undefined : walkChain(links)
  for (const finding of walk?.findings ?? []) findings.push({ ...finding, file: path })
  return {
    path,
    events: eventCount,
    reachable: walk?.path.length ?? eventCount,
    onChain: walk?.onChainCount ?? eventCount,
    findings: findings.sort((one, other) => (one.byte_offset ?? 0) - (other.byte_offset ?? 0)),
  }
}

/** By its first line that is whole: only in a history has it no envelope. */
function isHistoryLog(path: string): boolean {
  for (const entry of readLogSync(path, { isBare: true })) {
    if (entry.kind === 'event') return typeof entry.event.uuid !== 'string'
  }
  return false
}

/** Of a shard or a log about the store, where events follow no other and no header is missing. */
function standsAlone({ type }: PlacedLink): boolean {
  return belongsTo('checkpoint', type) || belongsTo('store', type)
}

/** What is wrong with an event by its schema. Loaded only here: nobody else needs zod. */
async function payloadChecker(): Promise<(event: SessionEvent) => string | undefined> {
  const { lineSchemaOf, historyLineSchema } = await import('../format/schemas.js')
  const schemas = new Map<string, ReturnType<typeof lineSchemaOf>>()
  return (event) => {
    const { type } = event
    if (!schemas.has(type)) {
      schemas.set(type, type === undefined ? historyLineSchema : lineSchemaOf(type))
    }
    const issue = schemas.get(type)?.safeParse(event).error?.issues[0]
    if (issue === undefined) return undefined
    return `${issue.path.join('.') || 'line'}: ${issue.message}`
  }
}
