// What a compaction would do.

import type { Message } from '../../chain/index.js'
import { type CompactionPlan, type PlanOptions, planCompaction } from '../../compaction/index.js'
import { loadSession } from '../../store/index.js'
import { type Call, type Parsed, UsageError } from '../command.js'
import { findLog } from '../input/target.js'
import { EXIT } from '../output/exit-codes.js'
import { toPlainText } from '../output/plain-text.js'
import { printJson, printLines } from '../output/print.js'
import { formatNumber } from '../output/units.js'

/** Only reads, so another process may have the session open. */
export async function printPlan(call: Call): Promise<number> {
  const path = findLog(call, call.operands[0]!)
  const { log, header } = loadSession(call.store, path)
  const plan = planCompaction(log.projection, readCut(call))
  const { session_id = null } = (header?.payload ?? {}) as { session_id?: string | null }
  if (call.has('json')) await printJson(call, fieldsOf(session_id, plan))
  else await printLines(call, linesOf(session_id ?? path, plan))
  call.notes.say('nothing was written')
  return EXIT.done
}

function fieldsOf(sessionId: string | null, plan: CompactionPlan): object {
  const { keeps, covered, kept, usage, tokensBefore, tokensCovered, tokensAfter } = plan
  const { source, margin, bytesPerToken, samples } = usage
  return {
    sessionId,
    boundaryUuid: null,
    summaryUuid: null,
    strategy: null,
    tokensBefore,
    tokensAfter,
    needsRetry: false,
    tokensCovered,
    tokensSaved: tokensBefore - tokensAfter,
    keeps,
    messagesSummarized: covered.length,
    messagesKept: kept.length,
    coveredFromUuid: covered[0]!.uuid,
    coveredToUuid: covered.at(-1)!.uuid,
    headUuid: kept[0]?.uuid ?? null,
    tailUuid: kept.at(-1)?.uuid ?? null,
    usage: { source, margin, bytesPerToken, samples },
  }
}

function linesOf(name: string, plan: CompactionPlan): string[] {
  const { covered, kept, usage, tokensBefore, tokensCovered, tokensAfter } = plan
  const keptTokens = Math.max(0, tokensBefore - tokensCovered)
  const ends = `${nameOf(covered[0])} to ${nameOf(covered.at(-1))}`
  const about = `about ${tokens(tokensBefore)} (${certaintyOf(plan)})`
  return [
    `${toPlainText(name)}: ${counted(usage.messages)}, ${about}`,
    `  summarized  ${counted(covered.length)}, ${tokens(tokensCovered)}: ${ends}`,
    `  kept        ${counted(kept.length)}, ${tokens(keptTokens)}${keptEnd(plan)}`,
    `  saved       ${tokens(tokensBefore - tokensAfter)}, with a summary of ${formatNumber(tokensAfter - keptTokens)}`,
  ]
}

function keptEnd({ keeps, kept, context, range }: CompactionPlan): string {
  if (keeps === 'nothing') return ''
  if (keeps === 'suffix') return `: from ${nameOf(kept[0])}`
  return `: up to ${nameOf(context.messages[range.start - 1])}`
}

function nameOf(message: Message | undefined): string {
  return toPlainText(String(message?.uuid))
}

function certaintyOf({ usage }: CompactionPlan): string {
  const { source, margin, samples } = usage
  const how =
    source === 'usage'
      ? 'counted by the provider up to its last reply'
      : 'estimated from their bytes'
  const ratio = samples === 0 ? '' : `; ${usage.bytesPerToken.toFixed(1)} bytes per token here`
  return `±${formatNumber(margin)}, ${how}${ratio}`
}

function counted(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'message' : 'messages'}`
}

function tokens(count: number): string {
  return `${formatNumber(count)} tokens`
}

/** Where the conversation is cut. */
export function readCut(call: Parsed): PlanOptions {
  const keep = call.value('keep')
  if (keep === undefined) return { from: call.value('from'), upTo: call.value('up-to') }
  const [, digits] = /^(\d+(?:\.\d+)?)%?$/.exec(keep.trim()) ?? []
  const keepPercent = Number(digits)
  if (!(keepPercent <= 100)) throw new UsageError(`--keep takes a share like 30%, not "${keep}"`)
  // The user says how much, so there is no minimum.
  return { keepPercent, minKeepMessages: 1 }
}
