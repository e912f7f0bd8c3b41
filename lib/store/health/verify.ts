// Reads a whole log and checks every line, every link and every payload. Writes nothing.

import { basename, dirname } from 'node:path'
import { walkChain } from '../../chain/index.js'
import type { Environment } from '../../environment/index.js'
import {
  belongsTo,
  type Diagnostic,
  diagnostic,
  linkOf,
  type PlacedLink,
  type SessionEvent,
} from '../../format/index.js'
import { readLog, readLogSync } from '../../log/index.js'
import type { StoreContext } from '../context.js'

/** What is wrong with a log. */
export interface VerifyReport {
  readonly path: string
  readonly events: number
  /** Events of the chain that can be reached from its tip. */
  readonly reachable: number
  /** Events of the chain, reachable or not. */
  readonly onChain: number
  readonly findings: readonly Diagnostic[]
}

export async function verifyLog(
  { env: environment }: StoreContext,
  path: string,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<VerifyReport> {
  const { signal } = options
  const checkPayload = await loadPayloadCheck()
  const findings: Diagnostic[] = []
  const links: PlacedLink[] = []
  let events = 0
  const isHistory = isHistoryLog(path, environment)
  for await (const entry of readLog(path, { bare: isHistory, signal, environment })) {
    if (entry.diagnostics !== undefined) findings.push(...entry.diagnostics)
    if (entry.kind !== 'event') continue
    const { event, byte_offset, line_number, length } = entry
    events++
    if (!isHistory) links.push({ ...linkOf(event, byte_offset), line_number })
    // The payload of an oversize line was not read, and that is reported already.
    const isUnread = entry.diagnostics?.some(({ code }) => code === 'oversize_line') === true
    const problem = isUnread ? undefined : checkPayload(event)
    if (problem === undefined) continue
    const where = { file: path, byte_offset, line_number, length, uuid: event.uuid }
    findings.push(diagnostic(isHistory ? 'bad_line' : 'bad_payload', problem, where))
  }
  if (events === 0 && !isUnbegun(environment, path)) {
    findings.push(diagnostic('missing_header', 'The log contains no events', { file: path }))
  }
  const walk = isHistory || links.every(hasNoChain) ? undefined : walkChain(links)
  for (const finding of walk?.findings ?? []) findings.push({ ...finding, file: path })
  return {
    path,
    events,
    reachable: walk?.path.length ?? events,
    onChain: walk?.onChainCount ?? events,
    findings: findings.sort((one, other) => (one.byte_offset ?? 0) - (other.byte_offset ?? 0)),
  }
}

/** A process that is killed while it creates a session leaves an empty file; nothing is lost. */
function isUnbegun({ fs }: Environment, path: string): boolean {
  const isSession = ['.transcripts', '.sidechains'].includes(basename(dirname(path)))
  return isSession && fs.statSync(path).size === 0
}

/** By its first valid line: only those of a history have no envelope. */
function isHistoryLog(path: string, environment: Environment): boolean {
  for (const entry of readLogSync(path, { bare: true, environment })) {
    if (entry.kind === 'event') return typeof entry.event.uuid !== 'string'
  }
  return false
}

/** Shards of checkpoints and logs about the store have neither links nor a header. */
function hasNoChain({ type }: PlacedLink): boolean {
  return belongsTo('checkpoint', type) || belongsTo('store', type)
}

/** Checks an event by its schema. Loaded here, because nothing else needs zod. */
async function loadPayloadCheck(): Promise<(event: SessionEvent) => string | undefined> {
  const { lineSchemaOf, historyLineSchema } = await import('../../format/schemas.js')
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
