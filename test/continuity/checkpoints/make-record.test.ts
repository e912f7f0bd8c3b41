import { expect, test } from 'vitest'
import { type CheckpointRequest, checkpointRecord } from '../../../lib/continuity/index.js'
import { payloadSchemas } from '../../../lib/format/schemas.js'
import { id } from '../../helpers/lines.js'
import { stateOf } from '../sample.js'

/** Takes this one secret out of every text, as the real one does with its rules. */
function redact<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(/hunter2[a-z]*/g, '[REDACTED]')) as Value
}

const request: CheckpointRequest = {
  trigger: 'periodic',
  cause: 'prompt_interval',
  facts: { transcript_offset: 1234, last_uuid: id(9) },
}

function recordOf(state: Parameters<typeof stateOf>[0], changes: Partial<CheckpointRequest> = {}) {
  return checkpointRecord(stateOf(state), { ...request, ...changes }, { id: id(1), redact })
}

test('a record is the payload of a checkpoint line, with the fields for lookups first', () => {
  const record = recordOf({
    promptCount: 2,
    totalPromptCount: 12,
    recentPrompts: ['one', 'two'],
    pendingQueries: ['q'],
    pendingRemembers: ['r'],
    cycle: id(5),
    rolling: { totalPromptCount: 10, percent: 25 },
  })
  expect(record).toEqual({
    id: id(1),
    session_key: 's',
    project_normalized: '/work/app',
    created_at: '2026-01-01T12:05:00.000Z',
    trigger: 'periodic',
    cause: 'prompt_interval',
    agent_id: 'default',
    harness: 'test',
    project: '/work/app',
    digest: expect.stringContaining('Prompts: 2 | Duration: 5m'),
    prompt_count: 2,
    total_prompt_count: 12,
    memory_queries: ['q'],
    recent_remembers: ['r'],
    prompt_snippets: ['one', 'two'],
    transcript_offset: 1234,
    last_uuid: id(9),
    cycle: id(5),
    rolling: { total_prompt_count: 10, percent: 25 },
  })
  expect(Object.keys(record).slice(0, 5)).toEqual([
    'id',
    'session_key',
    'project_normalized',
    'created_at',
    'trigger',
  ])
  expect(payloadSchemas.checkpoint.parse(record)).toEqual(record)
})

// Requirement: 000-11
test.each(['periodic', 'pre_compaction', 'agent', 'explicit', 'session_end'] as const)(
  'a record with trigger %s is valid',
  (trigger) => {
    const record = recordOf(
      {},
      { trigger, cause: 'why', ...(trigger === 'agent' && { text: 'x' }) },
    )
    expect(record).toMatchObject({ trigger, cause: 'why' })
    expect(payloadSchemas.checkpoint.parse(record)).toEqual(record)
  },
)

test('redacts every text before it is cut, but neither project nor ids', () => {
  // Cut first, the secret would be `hun` and no longer known.
  const secret = `${'a'.repeat(197)}hunter2secret`
  const record = recordOf(
    {
      project: '/home/hunter2',
      recentPrompts: [secret],
      pendingQueries: ['hunter2 login'],
      pendingRemembers: ['password hunter2'],
    },
    {
      facts: { ...request.facts, topReferences: ['hunter2'] },
      structured: {
        summary: 'it is hunter2',
        topics: ['hunter2'],
        keyDecisions: [],
        openQuestions: [],
        tokensAtCheckpoint: 6000,
      },
      sessionSummary: 'used hunter2',
    },
  )
  expect(record).toMatchObject({
    project: '/home/hunter2',
    prompt_snippets: [`${'a'.repeat(197)}[RE`],
    memory_queries: ['[REDACTED] login'],
    recent_remembers: ['password [REDACTED]'],
    digest: 'it is [REDACTED]\n\nTopics: [REDACTED]',
    structured: { summary: 'it is [REDACTED]', topics: ['[REDACTED]'], tokensAtCheckpoint: 6000 },
    session_summary: 'used [REDACTED]',
  })
  expect(recordOf({ project: '/home/hunter2', recentPrompts: [secret] }).digest).toContain(
    `Project: /home/hunter2\nPrompts: 0 | Duration: 5m\n\n### Recent Prompts\n- ${'a'.repeat(197)}[RE`,
  )
})

// Requirement: S-07
test('snippets are one line of at most 200 code points; blank prompts are counted, not shown', () => {
  const { prompt_snippets, prompt_count } = recordOf({
    promptCount: 3,
    recentPrompts: ['  two\n\tlines ', ' \n ', '😀'.repeat(300)],
  })
  expect(prompt_snippets).toEqual(['two lines', '😀'.repeat(200)])
  expect(prompt_count).toBe(3)
})

// Requirement: 000-45
test("an agent's words are stored as they are", () => {
  const text = '# Done\n\n- decided: no regex\n- blocked: CI\n'
  const record = recordOf({ pendingQueries: ['q'] }, { trigger: 'agent', text })
  expect(record.digest).toBe(text)
  expect(record.memory_queries).toEqual(['q'])
  expect(record).not.toHaveProperty('truncated')
  const summed = recordOf({}, { trigger: 'agent', sessionSummary: 'all of it' })
  expect(summed).toMatchObject({ digest: 'all of it', session_summary: 'all of it' })
})

test('text beyond 16 KiB is cut between characters, and the record is marked', () => {
  const fits = 'é'.repeat(8 * 1024)
  expect(recordOf({}, { trigger: 'agent', text: fits })).not.toHaveProperty('truncated')
  const long = recordOf({}, { trigger: 'agent', text: `a${fits}` })
  expect(long).toMatchObject({ digest: `a${fits.slice(0, -1)}`, truncated: true })
  const context = recordOf({}, { trigger: 'pre_compaction', sessionContext: `a${fits}` })
  expect(context.truncated).toBe(true)
  expect(context.digest).toContain(`### Session Context\na${fits.slice(0, -1)}`)
})

test('an explicit checkpoint without text gets a digest of what was gathered', () => {
  expect(recordOf({}, { trigger: 'explicit' }).digest).toMatch(/^## Session Checkpoint\n/)
})

// Requirement: 002-05
test('a checkpoint can hold a summary, topics, decisions, questions and a token count', () => {
  const structured = {
    summary: 'S',
    topics: ['t'],
    keyDecisions: ['d'],
    openQuestions: ['q'],
    tokensAtCheckpoint: 50_000,
    messageCount: 40,
    model: 'small',
  }
  expect(recordOf({}, { structured }).structured).toEqual(structured)
})

// Requirement: A23
test('the record has the current folder, and stays in the shard of the first one', () => {
  const moved = recordOf({}, { facts: { ...request.facts, project: '/work/other' } })
  expect(moved).toMatchObject({ project: '/work/other', project_normalized: '/work/app' })
})

test('a remembered text of megabytes gives a line that can be written', () => {
  const { recent_remembers } = recordOf({ pendingRemembers: ['x'.repeat(5_000_000)] })
  expect(recent_remembers[0]).toHaveLength(2000)
})
