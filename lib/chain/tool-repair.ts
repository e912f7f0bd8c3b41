// Providers reject a conversation in which a call has no result, a result has no call, or anything is
// between the two. Repairs that, on copies, and reports each repair; the log stays as it is.

import { SessionError } from '../errors.js'
import { type Diagnostic, type DiagnosticCode, diagnostic } from '../format/index.js'
import { type AnyMessage, type Block, blocksOf, locationOf, withBlocks } from './messages.js'
import { fieldsOf } from './projection.js'
import { isResultBlock, pairTools, type ToolCall, type ToolResult } from './tool-pairs.js'
import { toolRuns } from './tool-runs.js'

/** What happens to a call without a result. */
export type ToolPolicy = (typeof TOOL_POLICIES)[number]

export const TOOL_POLICIES = ['synthesize', 'retry', 'drop'] as const

/** Rejects a policy of the caller; one in a header that is not known is not used. */
export function assertToolPolicy(toolPolicy: ToolPolicy | undefined): void {
  if (toolPolicy === undefined || TOOL_POLICIES.includes(toolPolicy)) return
  throw new SessionError(
    'ERR_ARG',
    `toolPolicy must be synthesize, retry or drop, not "${toolPolicy}"`,
  )
}

/** The policy in the header of a session, which every later load uses. */
export function toolPolicyOf(
  header: { readonly payload: unknown } | undefined,
): ToolPolicy | undefined {
  const { tool_policy } = fieldsOf(header?.payload)
  return TOOL_POLICIES.find((known) => known === tool_policy)
}

export interface ToolRepairOptions {
  readonly toolPolicy: ToolPolicy
  /** With `retry`: this call will be run again, so it stays open. */
  readonly isRetryable: (call: ToolCall) => boolean
}

export const NO_RESULT =
  'no result recorded; the call may or may not have run; verify before repeating'

export function repairTools(
  messages: readonly AnyMessage[],
  { toolPolicy, isRetryable }: ToolRepairOptions,
): { messages: AnyMessage[]; diagnostics: Diagnostic[] } {
  const { calls, results, orphans } = pairTools(messages)
  const runs = toolRuns(messages, { calls, results })
  const plan = new Plan(messages)
  for (const orphan of orphans) {
    plan.remove(orphan)
    plan.report('orphan_tool_result', orphan, 'A result without its call; left out')
  }
  for (const call of calls) {
    const result = results.get(call)
    const { anchor, isInPlace } = runs(call)
    if (result !== undefined && !isInPlace(result)) {
      plan.remove(result)
      plan.move(result, anchor)
      plan.report('moved_tool_result', result, 'A result that came late; moved to its call')
    }
  }
  for (const call of calls) {
    if (results.has(call)) continue
    plan.report('open_tool_call', call, `The call "${call.tool_call_id}" has no result`)
    if (toolPolicy === 'drop') plan.remove(call)
    else if (toolPolicy === 'synthesize' || !isRetryable(call)) {
      plan.synthesize(call, runs(call).anchor)
    }
  }
  return { messages: plan.carryOut(), diagnostics: plan.diagnostics }
}

interface Addition {
  readonly messages: AnyMessage[]
  /** Blocks of the log, by the message they come from. */
  readonly moved: Map<AnyMessage, Block[]>
  readonly made: Block[]
  maker?: ToolCall
}

class Plan {
  readonly diagnostics: Diagnostic[] = []
  readonly #messages: readonly AnyMessage[]
  readonly #removed = new Set<number>()
  readonly #removedBlocks = new Map<number, Set<number>>()
  readonly #additions = new Map<number, Addition>()

  constructor(messages: readonly AnyMessage[]) {
    this.#messages = messages
  }

  remove({ message, block }: ToolCall | ToolResult): void {
    if (block === undefined) this.#removed.add(message)
    else if (this.#removedBlocks.has(message)) this.#removedBlocks.get(message)!.add(block)
    else this.#removedBlocks.set(message, new Set([block]))
  }

  move({ message, block }: ToolResult, anchor: number): void {
    const source = this.#messages[message]!
    const addition = this.#additionAfter(anchor)
    if (block === undefined) addition.messages.push(source)
    else {
      const moved = addition.moved.get(source) ?? []
      addition.moved.set(source, [...moved, blocksOf(source)[block] as Block])
    }
  }

  /** In the form of its call, so that the harness reads it like the others. */
  synthesize(call: ToolCall, anchor: number): void {
    const addition = this.#additionAfter(anchor)
    const { tool_call_id, name } = call
    if (call.block !== undefined) {
      addition.maker ??= call
      const fields = { content: NO_RESULT, is_error: true }
      addition.made.push({ type: 'tool_result', tool_use_id: tool_call_id, ...fields })
      return
    }
    const payload = { tool_call_id, content: NO_RESULT, is_error: true, name, synthetic: true }
    addition.messages.push(this.#made(call, 'tool_result', payload))
  }

  report(code: DiagnosticCode, { message }: ToolCall | ToolResult, text: string): void {
    this.diagnostics.push(diagnostic(code, text, locationOf(this.#messages[message]!)))
  }

  carryOut(): AnyMessage[] {
    return this.#messages.flatMap((message, index) => {
      const addition = this.#additions.get(index)
      const kept = this.#removed.has(index) ? undefined : this.#withoutRemoved(message, index)
      if (addition === undefined) return kept ?? []
      const blocks = [...[...addition.moved.values()].flat(), ...addition.made]
      const last = kept === undefined ? -1 : blocksOf(kept).findLastIndex(isResultBlock)
      if (blocks.length > 0 && kept?.type === 'user' && last !== -1) {
        const content = blocksOf(kept).toSpliced(last + 1, 0, ...blocks)
        return [withBlocks(kept, content), ...addition.messages]
      }
      const own = [...addition.moved].map(([source, content]) => withBlocks(source, content))
      if (addition.maker !== undefined) {
        own.push(this.#made(addition.maker, 'user', { content: addition.made }))
      }
      return [...(kept === undefined ? [] : [kept]), ...addition.messages, ...own]
    })
  }

  /** A message without any block left is removed; one that never had blocks stays. */
  #withoutRemoved(message: AnyMessage, index: number): AnyMessage | undefined {
    const removed = this.#removedBlocks.get(index)
    if (removed === undefined) return message
    const content = blocksOf(message).filter((_, block) => !removed.has(block))
    return content.length === 0 ? undefined : withBlocks(message, content)
  }

  #additionAfter(anchor: number): Addition {
    let addition = this.#additions.get(anchor)
    if (addition === undefined) {
      addition = { messages: [], moved: new Map(), made: [] }
      this.#additions.set(anchor, addition)
    }
    return addition
  }

  #made(call: ToolCall, type: string, payload: unknown): AnyMessage {
    const { ts } = this.#messages[call.message]!
    return { type, uuid: `${call.uuid}-no-result`, ts, payload, synthetic: true }
  }
}
