// What a compaction would do, for people who want to know before.

import type { Message } from '../chain/index.js'
import type { CompactionPlan } from '../compaction/index.js'
import { storeOptionsOf } from './arguments.js'
import type { Call } from './command.js'
import { cutOf } from './compact-cut.js'
import { EXIT } from './exit-codes.js'
import { toPlainText } from './plain-text.js'

/** Only reads, so a session that another process has open can be asked about, too. */
export async function printPlan(call: Call): Promise<number> {
  const { pathOf } = await import('./target.js')
  const { layoutOf, loadSession } = await import('../store/index.js')
  const { planCompaction } = await import('../compaction/index.js')
  const storeOptions = storeOptionsOf(call)
  const path = await pathOf(call.operands[0]!, storeOptions)
  const { log, header } = loadSession(path, { layout: layoutOf(storeOptions) })
  const plan = planCompaction(log.projection, cutOf(call))
  const { session_id = null } = (header?.payload ?? {}) as { session_id?: string | null }
  if (call.has('json')) await call.output.write(`${JSON.stringify(fieldsOf(session_id, plan))}\n`)
  else {
    const lines = linesOf(session_id ?? path, plan)
    await call.output.write(lines.map((line) => `${line}\n`).join(''))
    call.notes.say('nothing was written')
  }
  return EXIT.done
}

function fieldsOf(session_id: string | null, plan: CompactionPlan): object {
  const { keeps, covered, kept, usage, tokensBefore, tokensCovered, tokensAfter } = plan
  const { source, margin, bytesPerToken, samples } = usage
  return {
    session_id,
    boundary_uuid: null,
    summary_uuid: null,
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
    `  summed up  ${counted(covered.length)}, ${tokens(tokensCovered)}: ${ends}`,
    `  kept       ${counted(kept.length)}, ${tokens(keptTokens)}${keptEnd(plan)}`,
    `  saved      ${tokens(tokensBefore - tokensAfter)}, with a summary of ${number(tokensAfter - keptTokens)}`,
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
  const learnt = samples === 0 ? '' : `; ${usage.bytesPerToken.toFixed(1)} bytes per token here`
  return `±${number(margin)}, ${how}${learnt}`
}

function counted(count: number): string {
  return `${number(count)} ${count === 1 ? 'message' : 'messages'}`
}

function tokens(count: number): string {
  return `${number(count)} tokens`
}

export function number(value: number): string {
  return value.toLocaleString('en-US')
}
