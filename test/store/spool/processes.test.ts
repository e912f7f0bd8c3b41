// A host holds a session while other processes leave events for it: each event that was acknowledged
// is one line of the session, or still waits.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createSession } from '../../../lib/free-functions.js'
import { openContext, readSpool } from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const QUEUE = fileURLToPath(new URL('../children/queue.mjs', import.meta.url))
const PROCESSES = 3
const NOTES = 40

interface Answer {
  readonly uuid: string
  readonly queued?: boolean
  readonly error?: string
}

function runQueue(root: string, name: string): Promise<Answer[]> {
  const child = spawn(process.execPath, [QUEUE, root, 'demo', String(NOTES), name])
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  return new Promise((resolve) =>
    child.on('close', () =>
      resolve(
        text
          .trim()
          .split('\n')
          .map((answer) => JSON.parse(answer)),
      ),
    ),
  )
}

test('no acknowledged event of three processes is lost or doubled while a host writes', async (t) => {
  const root = temporaryFolder(t)
  const options = { root, home: root, id: 'demo', continuity: false } as const
  const session = await createSession({ ...options, durability: 'none' })
  t.onTestFinished(() => session.release())
  let isOver = false
  const children = Promise.all(
    Array.from({ length: PROCESSES }, (_, index) => runQueue(root, `p${index}`)),
  ).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await session.prompt('what the host says')
    await new Promise((resolve) => setImmediate(resolve))
  }
  const answers = (await children).flat()
  await session.close()
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([])
  expect(answers.filter(({ queued }) => queued).length).toBeGreaterThan(0)
  const written = eventsIn(session.path).flatMap(({ type, uuid }) =>
    type === 'remember' ? uuid : [],
  )
  const waiting = readSpool(openContext({ root, home: root }), 'demo').map(({ uuid }) => uuid)
  expect([...written, ...waiting].toSorted()).toEqual(answers.map(({ uuid }) => uuid).toSorted())
})
