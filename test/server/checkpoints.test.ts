// Checkpoints over HTTP.

import { expect, test } from 'vitest'
import { appendCheckpoint } from '../../lib/store/index.js'
import { startApp } from './client.js'

const record = { trigger: 'periodic', harness: 'test', prompt_count: 1 } as const

// Requirement: 000-81
test('a project lists its newest checkpoints first, and a session all of its own', async (t) => {
  const { store, root, get } = await startApp(t)
  for (let minute = 0; minute < 12; minute++) {
    const session_key = minute % 2 === 0 ? 'agent:x/even' : 'odd'
    const created_at = new Date(Date.UTC(2026, 10, 17, 23, minute)).toISOString()
    const digest = `digest ${minute}`
    const environment = { ...record, session_key, digest, created_at, project: root }
    await appendCheckpoint(store, environment)
  }
  const first = await get(`/api/checkpoints?project=${encodeURIComponent(root)}`)
  expect(first.body.count).toBe(10)
  const times = first.body.checkpoints.map((one: { created_at: string }) => one.created_at)
  expect(times).toEqual([...times].sort().reverse())
  const two = await get(`/api/checkpoints?project=${encodeURIComponent(root)}&limit=2`)
  expect(two.body.checkpoints.map((one: { digest: string }) => one.digest)).toEqual([
    'digest 11',
    'digest 10',
  ])
  const other = await get('/api/checkpoints?project=/elsewhere')
  expect(other.body).toEqual({ checkpoints: [], count: 0 })
  for (const key of ['agent:x/even', 'session:agent:x/even']) {
    const { body } = await get(`/api/checkpoints/${encodeURIComponent(key)}`)
    expect(body.count).toBe(6)
  }
})

test('a secret in a digest is redacted before it is served', async (t) => {
  const { store, get } = await startApp(t)
  const secret = `ghp_${'a1B2'.repeat(9)}`
  await appendCheckpoint(store, { ...record, session_key: 's', digest: `the token is ${secret}` })
  const { body } = await get('/api/checkpoints/s')
  expect(body.checkpoints[0].digest).toContain('[REDACTED]')
  expect(JSON.stringify(body)).not.toContain(secret)
})
