// A day of hooks as Claude Code tells them: several sessions, parallel tools, subagents, a
// compaction, an end and a resume.

import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { verifyLog } from '../../lib/free-functions.js'
import { temporaryFolder } from '../helpers/temporary.js'
import {
  bytesOf,
  type DayEvent,
  eventsOf,
  readDay,
  replayInOrder,
  rowsIn,
  saidIn,
} from './telling.js'

const CHILD = fileURLToPath(new URL('children/tell-day.mjs', import.meta.url))
const A = '7b1f0c1e-5a55-4c0e-9f0a-0d5f6c3b1a01'
const B = 'c2d5e8aa-1f0b-4a7e-8f6d-5b9a7e21b302'
const C = 'e90a4d37-6c1d-4f2b-a1c8-93d2f4b87c03'

const day = readDay()

describe('a recorded day', () => {
  it('replayed in order ends in the same bytes', async (t) => {
    const [one, other] = [temporaryFolder(t), temporaryFolder(t)]
    const heard = await replayInOrder(day, one)
    await replayInOrder(day, other)
    expect(bytesOf(other)).toEqual(bytesOf(one))
    expect([...bytesOf(one).keys()].length).toBeGreaterThan(5)
    expect(heard.filter(({ words }) => words !== '')).toEqual([])
  })

  // Requirements: 004-20, 004-32
  it('ends in logs that are whole, with every prompt and reply of it', async (t) => {
    const root = temporaryFolder(t)
    await replayInOrder(day, root)
    for (const session of [A, B, C]) {
      const report = await verifyLog(join(root, '.transcripts', `${session}.jsonl`))
      expect(report.findings).toEqual([])
    }
    const prompts = (session: string) =>
      day.filter(
        ({ input }) =>
          input['hook_event_name'] === 'UserPromptSubmit' && input['session_id'] === session,
      )
    for (const session of [A, B, C]) {
      const users = eventsOf(root, session).filter(({ type }) => type === 'user')
      expect(users.map(({ payload }) => payload['content'])).toEqual(
        prompts(session).map(({ input }) => input['prompt']),
      )
    }
    const history = rowsIn(join(root, 'history.jsonl'))
    expect(history).toHaveLength([A, B, C].flatMap(prompts).length)
    expect(new Set(history.map(({ project }) => project)).size).toBe(2)
    // The third and the fifth say the same, and were said.
    expect(eventsOf(root, B).map(({ type }) => type)).toEqual([
      ...['session_header', 'user', 'assistant', 'turn_end', 'user', 'assistant', 'turn_end'],
      ...['user', 'turn_end'],
    ])
  })

  // Requirements: 004-24, 004-32
  it('keeps the order of a session: start, prompts and replies, checkpoints, end', async (t) => {
    const root = temporaryFolder(t)
    const heard = await replayInOrder(day, root)
    const types = eventsOf(root, A).map(({ type }) => type)
    expect(types[0]).toBe('session_header')
    expect(types.slice(-2)).toEqual(['turn_end', 'session_terminator'])
    expect(types.filter((type) => type === 'session_terminator')).toHaveLength(2)
    expect(types).toContain('compaction_boundary')
    const [shard] = [...bytesOf(root).keys()].filter((name) =>
      name.startsWith('.checkpoints/shop-'),
    )
    const made = rowsIn(join(root, shard!)).map(({ payload }) => payload as Record<string, unknown>)
    const ofA = made.filter(({ session_key }) => session_key === A).map(({ trigger }) => trigger)
    expect(ofA).toEqual([
      ...['periodic', 'pre_compaction', 'session_end'],
      // More than a quarter of an hour later.
      ...['periodic', 'session_end'],
    ])
    // After the compaction, in the next session of the project, and nowhere else.
    const injected = day.filter((_, index) => heard[index]!.stdout !== '')
    expect(injected.map(({ input }) => [input['session_id'], input['source']])).toEqual([
      [A, 'compact'],
      // Not when A is resumed: its harness shows it the whole conversation again.
      [C, 'startup'],
    ])
    for (const { stdout } of heard) {
      if (stdout === '') continue
      const { hookSpecificOutput } = JSON.parse(stdout) as Record<string, Record<string, string>>
      expect(hookSpecificOutput!['additionalContext']).toMatch(/^## Session Recovery Context\n/)
    }
  })

  // Requirement: T67
  it('reported by two processes at the same time, shuffled, gives the same set of events', async (t) => {
    const [ordered, root] = [temporaryFolder(t), temporaryFolder(t)]
    await replayInOrder(day, ordered)
    // A harness tells of an end when all else was told.
    const end = day.findIndex(({ input }) => input['hook_event_name'] === 'SessionEnd')
    await Promise.all([1, 2].map((seed) => tellAll(root, day.slice(0, end), { seed })))
    const twice = day.slice(end).flatMap((event) => [event, event])
    await tellAll(root, twice, {})
    expect(saidIn(root)).toEqual(saidIn(ordered))
    const users = eventsOf(root, A).filter(({ type }) => type === 'user')
    expect(new Set(users.map(({ uuid }) => uuid)).size).toBe(users.length)
    expect(users).toHaveLength(13)
    const told = rowsIn(join(root, 'history.jsonl')).filter(({ session_id }) => session_id === A)
    expect(told).toHaveLength(13)
  })

  it('killed at any moment and reported again gives the same set of events', async (t) => {
    const [ordered, root] = [temporaryFolder(t), temporaryFolder(t)]
    await replayInOrder(day, ordered)
    for (const killAfter of [1, 17, 33, 50]) await tellAll(root, day, { killAfter })
    await tellAll(root, day, {})
    expect(saidIn(root)).toEqual(saidIn(ordered))
  })

  // Requirement: T66
  it('with fields missing still records what was reported', async (t) => {
    const root = temporaryFolder(t)
    const fields = ['prompt_id', 'tool_use_id', 'cwd', 'transcript_path', 'stop_hook_active']
    const poor = day.map(({ at, input }) => {
      const kept = Object.entries(input).filter(([key]) => !fields.includes(key))
      return { at, input: Object.fromEntries(kept) }
    })
    const heard = await replayInOrder(poor, root)
    expect(heard.map(({ words }) => words).filter(Boolean)).toEqual([])
    const of = (type: string) => eventsOf(root, A).filter((event) => event.type === type)
    expect(of('user')).toHaveLength(13)
    expect(of('tool_result')).toHaveLength(of('tool_call').length)
    const ids = new Set(of('tool_call').map(({ payload }) => payload['tool_call_id']))
    expect(of('tool_result').every(({ payload }) => ids.has(payload['tool_call_id']))).toBe(true)
  })

  // Requirements: 000-17, C-33
  it('leaves no permission state in any byte of the store', async (t) => {
    const root = temporaryFolder(t)
    await replayInOrder(day, root)
    const all = [...bytesOf(root, []).values()].join('')
    expect(all).not.toContain('PERMISSION-CANARY')
    expect(all).toContain('0644')
  })
})

interface TellAll {
  /** Shuffles them; 0 leaves them in order. */
  readonly seed?: number
  /** Kill it when so many were told: it is in the middle of the next one then. */
  readonly killAfter?: number
}

/** In a process of its own. */
async function tellAll(
  root: string,
  events: readonly DayEvent[],
  { seed = 0, killAfter = Number.POSITIVE_INFINITY }: TellAll,
): Promise<void> {
  const path = join(mkdtempSync(join(root, 'told-')), 'events')
  writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const child = spawn(process.execPath, [CHILD, root, path, String(seed)])
  let dots = ''
  let words = ''
  child.stderr.on('data', (chunk) => {
    words += chunk
  })
  child.stdout.on('data', (chunk) => {
    dots += chunk
    if (dots.length >= killAfter) child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.once('close', resolve))
  expect(words).toBe('')
  if (killAfter > events.length) expect(dots).toHaveLength(events.length)
  else expect(child.signalCode).toBe('SIGKILL')
}
