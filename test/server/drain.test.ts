// The end of a server: what has begun is answered, and nothing can hold it up.

import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, type TestContext, test } from 'vitest'
import { serve } from '../../lib/server/index.js'
import { openContext } from '../../lib/store/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

const BODY = '{"query":"nothing"}'

/** A server that has read the headers of a request and waits for the rest of its body. */
async function startRequest(t: TestContext, drainMs: number) {
  const root = temporaryFolder(t)
  const timers = {
    setTimeout: (callback: () => void, ms: number) =>
      setTimeout(callback, ms === 4500 ? drainMs : ms),
  }
  const problems: string[] = []
  const store = openContext({ root, home: root, environment: { timers } })
  const server = await serve(store, { port: 0, onProblem: (text) => problems.push(text) })
  t.onTestFinished(() => server.close())
  const token = server.pageUrl.split('=')[1]
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.on('data', (data) => {
    received += String(data)
  })
  socket.write(
    [
      'POST /api/sessions/search HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  )
  await once(socket, 'data')
  expect(received).toContain('100 Continue')
  return { server, socket, problems, text: () => received }
}

describe('a server that is stopped', () => {
  test('answers a request that has begun, and takes no other', async (t) => {
    const { server, socket, text } = await startRequest(t, 60_000)
    const closed = server.close()
    await expect(fetch(server.url)).rejects.toThrow()
    socket.write(BODY)
    await once(socket, 'close')
    expect(text()).toContain('HTTP/1.1 200 OK')
    expect(text()).toContain('"hits":[]')
    await closed
    await server.close()
  })

  test('does not wait for a client that sends nothing more', async (t) => {
    const { server, socket, problems } = await startRequest(t, 50)
    const gone = once(socket, 'close')
    await server.close()
    await gone
    expect(problems).toEqual([])
  })
})
