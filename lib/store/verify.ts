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
import { readLog } from '../log/index.js'

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
  let isHistory = false
  for await (const entry of readLog(path, { isBare: true, signal })) {
    if (entry.diagnostics !== undefined) findings.push(...entry.diagnostics)
    if (entry.kind !== 'event') continue
    const { event, byte_offset, line_number, length } = entry
    const where = { file: path, byte_offset, line_number, length }
    eventCount++
    if (typeof event.uuid !== 'string') {
      // A line without an envelope: at home in a history, damage elsewhere.
      if (eventCount === 1) isHistory = true
      const problem = isHistory ? checkPayload(event) : 'The line is JSON, but not an event'
      if (problem !== undefined) findings.push(diagnostic('bad_line', problem, where))
      continue
    }
    links.push({ ...linkOf(event, byte_offset), line_number })
    const problem = checkPayload(event)
    if (problem === undefined) continue
    findings.push(diagnostic('bad_payload', problem, { ...where, uuid: event.uuid }))
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
