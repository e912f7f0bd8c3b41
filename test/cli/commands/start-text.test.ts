import { expect, test } from 'vitest'
import { toStartText } from '../../../lib/cli/commands/daily/start.js'
import type { StartAnswer } from '../../../lib/continuity/index.js'

const item = (text: string) => ({ text })

test('the context of a start is sections, each only where it has something to say', () => {
  const answer = {
    agentLabel: 'builder',
    sessionContext: {
      recentSessions: [item('The parser is done')],
      importantFacts: [item('Tests run with\nnpm test')],
      activeTasks: [],
      constraints: [item('Never touch the schema')],
    },
    recovery: { text: 'Background.\n\nHalf done.' },
    recentAgents: [
      { agentLabel: 'planner', lastSummary: 'The plan stands' },
      { agentLabel: 'quiet', lastSummary: null },
    ],
    changesSinceLastSession: { since: '2026-01-31', sessions: [{}, {}], checkpoints: 3 },
    isFirstConnection: false,
    pendingMessages: ['call back'],
    nudge: 'Leave a checkpoint.',
  }
  expect(toStartText(answer as unknown as StartAnswer)).toBe(`# builder

## Recent sessions
- The parser is done

## Important facts
- Tests run with npm test

## Constraints
- Never touch the schema

## Other agents
- planner: The plan stands
- quiet: unknown

## Messages
- call back

Since 2026-01-31: sessions 2, checkpoints 3

Background.

Half done.

Leave a checkpoint.
`)
})
