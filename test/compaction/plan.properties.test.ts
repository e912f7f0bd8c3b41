// No plan ever parts a call from its result or covers nothing, whatever the conversation is like:
// both shapes of tools, names used twice, results without calls, calls without results. And what
// a plan says is what a boundary made of it brings about.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messagesOf, pairTools } from '../../lib/chain/index.js'
import { type CompactionPlan, contextOf, planCompaction } from '../../lib/compaction/index.js'
import { isSessionError } from '../../lib/errors.js'
import { History } from '../chain/history.js'
import { runs } from '../helpers/effort.js'
import { namesOf, projectionOf } from './conversation.js'

const RUNS = { numRuns: runs(1500) }

interface Spoken {
  readonly type: string
  readonly payload: object
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const text = fc.constant({ type: 'text', text: 'hm' })
const toolUse = id.map((name) => ({ type: 'tool_use', id: name, name, input: {} }))
const toolResult = id.map((name) => ({ type: 'tool_result', tool_use_id: name, content: 'x' }))
const blocks = (block: fc.Arbitrary<object>) =>
  fc.array(fc.oneof(block, block, text), { minLength: 1, maxLength: 3 })

const spoken: fc.Arbitrary<Spoken> = fc.oneof(
  id.map((name) => said('tool_call', { tool_call_id: name, name: 'x', input: {} })),
  id.map((name) => said('tool_result', { tool_call_id: name, content: 'x', is_error: false })),
  blocks(toolUse).map((content) => said('assistant', { content })),
  blocks(toolResult).map((content) => said('user', { content })),
  fc
    .constantFrom('user', 'user', 'assistant', 'system')
    .map((type) => said(type, { content: 'hm' })),
)

function said(type: string, payload: object): Spoken {
  return { type, payload }
}

const talk = fc
  .record({
    before: fc.array(spoken, { maxLength: 12 }),
    isCompacted: fc.boolean(),
    after: fc.array(spoken, { maxLength: 25 }),
  })
  .map(({ before, isCompacted, after }) => {
    const history = new History()
    const add = (list: readonly Spoken[], name: string) => {
      for (const [index, it] of list.entries()) history.add({ ...it, uuid: `${name}${index}` })
    }
    add(before, 'b')
    if (isCompacted && before.length > 0) history.compact({ summary: 'S1', head: null })
    add(after, 'm')
    return history
  })

const options = fc.record({
  keepPercent: fc.integer({ min: 0, max: 100 }),
  minKeepMessages: fc.integer({ min: 0, max: 8 }),
  maxTokensAfter: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }),
})

function planned(history: History, asked: Parameters<typeof planCompaction>[1]) {
  try {
    return planCompaction(projectionOf(history), asked)
  } catch (error) {
    if (isSessionError(error, 'ERR_NOTHING_TO_COMPACT')) return undefined
    throw error
  }
}

function expectWhole(plan: CompactionPlan, history: History): void {
  const { messages } = plan.context
  const { start, end } = plan.range
  const isCovered = (index: number) => index >= start && index < end
  for (const [call, result] of pairTools(messages).results) {
    expect(isCovered(call.message), `${call.uuid} and its result`).toBe(isCovered(result.message))
  }
  expect(plan.covered.some(({ type }) => type !== 'summary')).toBe(true)
  expect(
    namesOf([...plan.covered, ...plan.kept])
      .split(' ')
      .sort(),
  ).toEqual(namesOf(messages).split(' ').sort())
  expectCarriedOut(plan, history)
}

/** The boundary of a plan leaves exactly what the plan keeps, and no result without its call. */
function expectCarriedOut({ keeps, kept, range, context }: CompactionPlan, history: History) {
  const { messages } = context
  const before = messagesOf(projectionOf(history)).diagnostics
  history.compact({
    summary: 'S9',
    isPrefix: keeps === 'prefix',
    head: keeps === 'nothing' ? null : keeps === 'prefix' ? messages[0]!.uuid : kept[0]!.uuid,
    tail: keeps === 'prefix' ? messages[range.start - 1]!.uuid : (kept.at(-1)?.uuid ?? null),
    coveredTo: messages[range.end - 1]!.uuid,
  })
  const projection = projectionOf(history)
  expect(projection.lastBoundary?.uuid).toBe('B9')
  const after = contextOf(projection).messages
  const isSummary = ({ uuid }: { uuid: string }) => uuid === 'S9'
  expect(after.findIndex(isSummary)).toBe(keeps === 'prefix' ? range.start : 0)
  expect(namesOf(after.filter((message) => !isSummary(message)))).toBe(namesOf(kept))
  const orphans = (list: typeof before) => list.filter(({ code }) => code === 'orphan_tool_result')
  const had = new Set(orphans(before).map(({ uuid }) => uuid))
  const has = orphans(messagesOf(projection).diagnostics)
  expect(has.filter(({ uuid }) => !had.has(uuid))).toEqual([])
}

// Requirement: T18
test('a plan by count separates no call from its result, and exists whenever a cut does', () => {
  fc.assert(
    fc.property(talk, options, (history, asked) => {
      const plan = planned(history, asked)
      if (plan !== undefined) return expectWhole(plan, history)
      const isAllAllowed = asked.keepPercent === 0 && asked.minKeepMessages === 0
      expect(possibleCuts(history, { isAllAllowed })).toEqual([])
    }),
    RUNS,
  )
})

// Requirement: T18
test('a plan by uuid separates no call from its result', () => {
  fc.assert(
    fc.property(talk, fc.nat(), fc.boolean(), (history, number, isFrom) => {
      const { messages } = contextOf(projectionOf(history))
      fc.pre(messages.length > 0)
      const { uuid } = messages[number % messages.length]!
      const plan = planned(history, isFrom ? { from: uuid } : { upTo: uuid })
      if (plan !== undefined) expectWhole(plan, history)
      else if (!isFrom) expect(possibleCuts(history, { isAllAllowed: true })).toEqual([])
    }),
    RUNS,
  )
})

/** By trying them all: positions that split no pair, keep live calls, and cover a message. */
function possibleCuts(history: History, { isAllAllowed }: { isAllAllowed: boolean }): number[] {
  const { messages } = contextOf(projectionOf(history))
  const { calls, results } = pairTools(messages)
  const lastPrompt = messages.findLastIndex(({ type, payload }) => {
    const { content } = payload as { content?: unknown }
    const isResults = Array.isArray(content) && content.every((it) => it.type === 'tool_result')
    return type === 'user' && !isResults
  })
  const last = isAllAllowed ? messages.length : messages.length - 1
  return Array.from({ length: last }, (_, index) => index + 1).filter((cut) => {
    const coversOne = messages.slice(0, cut).some(({ type }) => type !== 'summary')
    const isWhole = calls.every((call) => {
      const result = results.get(call)
      if (result !== undefined) return call.message < cut === result.message < cut
      return call.message >= cut || call.message <= lastPrompt
    })
    return coversOne && isWhole
  })
}
