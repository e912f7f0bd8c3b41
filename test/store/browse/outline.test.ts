import { expect, test } from 'vitest'
import { defaultRedactor } from '../../../lib/redaction/index.js'
import { openContext, readOutlinePage } from '../../../lib/store/index.js'
import { line } from '../../helpers/lines.js'
import { temporaryFile } from '../../helpers/temporary.js'

const store = openContext({ root: '/nowhere' })

test('an outline names tools, calls, results, failures, subagents and damage', async (t) => {
  const lines = [
    line('user', { uuid: 'u', prev_uuid: 'h', payload: { content: ' two \n lines ' } }),
    line('assistant', {
      uuid: 'a',
      prev_uuid: 'u',
      payload: {
        content: [
          { type: 'text', text: 'Reading.' },
          { type: 'tool_use', id: 'c1', name: 'Read', input: {} },
          { type: 'tool_use', id: 'c2', name: 'Bash', input: {} },
        ],
      },
    }),
    line('tool_result', {
      uuid: 'r',
      prev_uuid: 'a',
      payload: { tool_call_id: 'c1', content: 'no such file', is_error: true },
    }),
    line('subagent_spawn', { uuid: 's', prev_uuid: 'r', payload: { task_id: 'T-1' } }),
    line('turn_end', { uuid: 'e', payload: {} }),
    Buffer.from('{"broken\n'),
  ]
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat(lines))
  const { entries } = await readOutlinePage(store, path, { limit: 10, redactor: defaultRedactor })
  const short = entries.map(({ offset: _, length: __, ts: ___, ...rest }) => rest)
  expect(short).toEqual([
    { uuid: 'u', prev: 'h', type: 'user', chain: true, title: 'two lines' },
    {
      uuid: 'a',
      prev: 'u',
      type: 'assistant',
      chain: true,
      title: 'Reading. [tool_use Read] [tool_use Bash]',
      tool: 'Read',
      calls: ['c1', 'c2'],
    },
    {
      uuid: 'r',
      prev: 'a',
      type: 'tool_result',
      chain: true,
      title: 'no such file',
      error: true,
      results: ['c1'],
      onlyResults: true,
    },
    {
      uuid: 's',
      prev: 'r',
      type: 'subagent_spawn',
      chain: true,
      title: '{"task_id":"T-1"}',
      task: 'T-1',
    },
    { uuid: 'e', prev: null, type: 'turn_end', chain: false, title: '{}' },
    {
      uuid: null,
      prev: null,
      type: null,
      chain: false,
      title: '',
      damage: { reason: expect.any(String), message: expect.any(String) },
    },
  ])
})

test('a title has at most 120 characters, and no part of a secret at the end of what is read', async (t) => {
  const content = `${' '.repeat(1990)} ghp_0123456789abcdefghijABCDEFGHIJ012345`
  const part = 'eyJhbGciOiJIUzI1NiJ9'
  const token = [part, part.repeat(100), part.repeat(2)].join('.')
  const lines = [
    line('user', { uuid: 'u', payload: { content: 'word '.repeat(100) } }),
    line('user', { uuid: 'v', prev_uuid: 'u', payload: { content } }),
    line('user', { uuid: 'j', prev_uuid: 'v', payload: { content: token } }),
    line('user', { uuid: 'w', prev_uuid: 'v', payload: { content: 'z'.repeat(9000) } }),
  ]
  const path = temporaryFile(t, 'log.jsonl', Buffer.concat(lines))
  const { entries } = await readOutlinePage(store, path, { limit: 10, redactor: defaultRedactor })
  const titles = entries.map(({ title }) => title)
  expect(titles.map((title) => title.length)).toEqual([120, 10, 10, 120])
  expect(titles[0]).toMatch(/word…$/)
})
