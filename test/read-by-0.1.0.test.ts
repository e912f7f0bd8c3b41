// Format 1 only grows: the packed 0.1.0 reads what this version writes.

import { expect, test } from 'vitest'
import { openStore } from '../lib/index.js'
import { release010 } from './helpers/release-0.1.0.js'
import { temporaryFolder } from './helpers/temporary.js'

test('0.1.0 lists, verifies and resumes a compacted session without findings', async (context) => {
  const root = temporaryFolder(context)
  const session = await openStore({ root }).createSession({ id: 'a' })
  await session.prompt('first')
  await session.append({ type: 'assistant', payload: { content: 'a reply' } })
  await session.compact({ summary: 'what was said' })
  await session.prompt('second')
  await session.close()

  const seen = await release010.resumeSession({ root, id: 'a', mode: 'inspect' })
  const { messages } = await openStore({ root }).resumeSession({ id: 'a', mode: 'inspect' })
  expect(seen.messages.map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid))
  expect(seen).toMatchObject({ degraded: false, diagnostics: [] })
  const { sessions } = await release010.listSessions({ root })
  expect(sessions).toMatchObject([{ session_id: 'a', status: 'clean', title: 'first' }])
  expect(await release010.verifyLog(session.path)).toMatchObject({ findings: [] })
})
