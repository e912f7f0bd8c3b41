import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readTranscriptText, transcriptText } from '../../../lib/free-functions.js'
import { collect } from '../../helpers/collect.js'
import { foreignLine } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from '../catalog/catalog-transcript.js'

// Requirement: 001-21
it('returns a clean text, and leaves the log as it is', async (t) => {
  const root = temporaryFolder(t)
  const path = new Transcript('demo')
    .say('list\n\tthe  files\u2028please')
    .reply([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Sure.' },
      { type: 'tool_use', id: 't1', name: 'ls', input: {} },
      { type: 'text', text: 'One moment.' },
    ])
    .say([{ type: 'tool_result', tool_use_id: 't1', content: 'secret listing' }])
    .add('tool_call', { tool_call_id: 't2', name: 'ls', input: {} })
    .add('tool_result', { tool_call_id: 't2', content: 'another listing', is_error: false })
    .add('system', { content: 'you are a robot' })
    .add('summary', { text: 'files were listed' })
    .reply('   ')
    .reply('Two files.')
    .save(root)
  const before = createHash('sha256').update(readFileSync(path)).digest('hex')
  expect(await transcriptText('session:demo', { root })).toEqual({
    sessionKey: 'demo',
    agentId: 'default',
    content: [
      'User: list the files please',
      'Assistant: Sure. One moment.',
      'Assistant: Two files.',
    ].join('\n'),
  })
  expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(before)
})

it('includes turns that a rewind without a target did not leave', async (t) => {
  const root = temporaryFolder(t)
  new Transcript('demo')
    .say('one')
    .add('rewind', { target_uuid: 'x', from_uuid: 'y' })
    .say('two')
    .end()
    .save(root)
  expect(await collect(readTranscriptText('demo', { root }))).toEqual(['User: one', 'User: two'])
})

it('redacts every turn before its lines are joined', async (t) => {
  const root = temporaryFolder(t)
  new Transcript('demo').say('first\nsecret\nlast').reply('secret').save(root)
  const seen: string[] = []
  const redact = (text: string) => {
    seen.push(text)
    return text.replace(/^secret$/gm, '[REDACTED]')
  }
  const { content } = await transcriptText('demo', { root, redact })
  expect(content).toBe('User: first [REDACTED] last\nAssistant: [REDACTED]')
  expect(seen).toEqual(['first\nsecret\nlast', 'secret'])
})

it('rejects a missing session, and one without turns', async (t) => {
  const root = temporaryFolder(t)
  new Transcript('empty').save(root)
  for (const key of ['unknown', 'empty']) {
    await expect(transcriptText(key, { root })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  }
})

it('skips damaged lines, and reads lines of other programs', async (t) => {
  const root = temporaryFolder(t)
  const other = new Transcript('other').say('first').say('glued')
  const whole = other.bytes.toString().split('\n')[2]!
  new Transcript('demo')
    .say('one')
    .raw('{"type":"user","ts":"2026-01\n')
    .raw(`{"type":"tool_result","payload":{"content":"cut ${whole}\n`)
    .raw(
      foreignLine({ uuid: 'f', prev_uuid: null, type: 'assistant', payload: { content: 'two' } }),
    )
    .raw(foreignLine({ type: 'user', uuid: 'c', message: { role: 'user', content: 'three' } }))
    .raw(foreignLine({ type: 'user', uuid: 'm', isMeta: true, message: { content: 'unknown' } }))
    .save(root)
  expect(await collect(readTranscriptText('demo', { root }))).toEqual([
    'User: one',
    'User: glued',
    'Assistant: two',
    'User: three',
  ])
})
