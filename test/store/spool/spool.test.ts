// Events that wait for a session: whose they are, by the name of their file.

import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { createSession } from '../../../lib/free-functions.js'
import { layoutOf, listSpooled, readSpool, spoolEvent } from '../../../lib/store/index.js'
import { eventsIn } from '../../cli/stored.js'
import { contextOfLayout } from '../../helpers/context.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const EVENT = { type: 'remember', payload: { text: 'The port is 8080.' } }

function newLayout(t: TestContext) {
  return layoutOf({ root: temporaryFolder(t) }, systemEnvironment.host)
}

test('a session is found by its id, whatever letters it has; files of others are left alone', async (t) => {
  const layout = newLayout(t)
  for (const id of ['demo', 'demo--2', 'agent:main', 'ä'])
    await spoolEvent(contextOfLayout(layout), id, EVENT)
  await spoolEvent(contextOfLayout(layout), 'demo', EVENT)
  writeFileSync(join(layout.spool, 'notes.jsonl'), '{}\n')
  expect(listSpooled(contextOfLayout(layout)).toSorted()).toEqual([
    'agent:main',
    'demo',
    'demo--2',
    'ä',
  ])
  expect(readSpool(contextOfLayout(layout), 'demo').events).toHaveLength(2)
  expect(readSpool(contextOfLayout(layout), 'nobody').events).toEqual([])
})

test('a file whose name belongs to no id is reported by its name, and blocks no other', async (t) => {
  const layout = newLayout(t)
  await spoolEvent(contextOfLayout(layout), 'demo', EVENT)
  const [name] = readdirSync(layout.spool).filter((one) => one.endsWith('.jsonl'))
  renameSync(join(layout.spool, name!), join(layout.spool, name!.replace('demo', '%zz')))
  await spoolEvent(contextOfLayout(layout), 'other', EVENT)
  expect(listSpooled(contextOfLayout(layout)).toSorted()).toEqual(['%zz', 'other'])
})

test('a spooled event that no log accepts is reported and stays; damaged ones are skipped', async (t) => {
  const layout = newLayout(t)
  const told: Diagnostic[] = []
  const session = await createSession({
    root: layout.root,
    id: 'demo',
    continuity: false,
    onDiagnostic: (it) => told.push(it),
  })
  t.onTestFinished(() => session.release())
  mkdirSync(layout.spool, { recursive: true, mode: 0o700 })
  const rest = '--2026-01-01T00-00-00.000Z-1-00000000-0000-4000-8000-000000000001.jsonl'
  const odd = '{"type":"remember","ts":"2026-01-01T00:00:00.000Z","uuid":"x","payload":null}'
  writeFileSync(join(layout.spool, `demo${rest}`), `${odd}\n{"type":\n`)
  await session.append({ type: 'user', payload: { content: 'hello' } })
  await session.close()
  expect(told.map(({ code }) => code)).toContain('queued_event_refused')
  expect(eventsIn(session.path).map(({ type }) => type)).toContain('user')
  expect(eventsIn(session.path).map(({ type }) => type)).not.toContain('remember')
  expect(readdirSync(layout.spool)).toContain(`demo${rest}`)
})
