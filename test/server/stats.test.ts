// Counts of the store, over HTTP.

import { expect, test } from 'vitest'
import { createSession, storeStats } from '../../lib/free-functions.js'
import { startApp } from './client.js'

test('the counts are those of the library, and other tasks run meanwhile', async (t) => {
  let now = 0
  let pauses = 0
  const { root, get } = await startApp(t, {
    environment: {
      monotonicNow: () => {
        now += 100
        return now
      },
      timers: {
        sleep: async () => {
          pauses++
        },
      },
    },
  })
  for (const id of ['one', 'two', 'three']) {
    const session = await createSession({ root, id })
    const usage = { input_tokens: 100, output_tokens: 20 }
    await session.append({ type: 'assistant', payload: { content: 'x', model: 'm', usage } })
    await session.close()
  }
  for (const by of ['session', 'model', 'day'] as const) {
    const { status, body } = await get(`/api/stats?by=${by}`)
    expect(status).toBe(200)
    expect(body).toEqual(JSON.parse(JSON.stringify(await storeStats({ root, by }))))
  }
  expect(pauses).toBe(9)
  expect((await get('/api/stats?by=moon')).status).toBe(400)
  expect((await get('/api/stats?since=never')).status).toBe(400)
})
