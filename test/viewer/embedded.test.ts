// What a page shows of its own data is what the library shows of the logs.

import { expect, test } from 'vitest'
import { createSession, resumeSession } from '../../lib/index.js'
import { exportPage } from '../../lib/session/index.js'
import { findTranscript, openContext, readMessagePage } from '../../lib/store/index.js'
import {
  type EmbeddedHead,
  type EmbeddedLine,
  EmbeddedSource,
} from '../../lib/viewer/data/embedded-source.js'
import { temporaryFolder } from '../helpers/temporary.js'

const SECRET = `sk-ant-api03-${'a1'.repeat(45)}`
const TEMPLATE = '<title><!--title--></title><body><!--data--></body>'

const said = (content: string) => ({ type: 'user', payload: { content } })

async function storeLineage(root: string): Promise<string> {
  const first = await createSession({ root, id: 'one' })
  await first.append({ ...said(`</script><b>${SECRET}`), uuid: 'u1' })
  await first.append({ ...said('kept'), uuid: 'u2' })
  await first.append({ ...said('left'), uuid: 'u3' })
  await first.rewind({ to: 'u2' })
  await first.compact({ summary: 'the gist', keepFrom: 'u2' })
  const child = await first.spawn({ taskId: 'T1', prompt: 'Look around' })
  await child.finish({ status: 'completed', summary: 'seen' })
  await first.close()
  const { session } = await resumeSession({ root, id: 'one', mode: 'new' })
  await session.append({ ...said('the day after'), uuid: 'u4' })
  await session.close()
  return session.id
}

async function exportText(root: string, session: string, options = {}): Promise<string> {
  const pieces: string[] = []
  const context = openContext({ root })
  for await (const piece of exportPage(context, session, { template: TEMPLATE, ...options })) {
    pieces.push(piece)
  }
  return pieces.join('')
}

function readPage(html: string): EmbeddedSource {
  const blocks = [...html.matchAll(/<script type="application\/json">([\s\S]*?)<\/script>/g)]
  const [head, ...lines] = blocks.flatMap(([, json]) => JSON.parse(json!)) as [
    EmbeddedHead,
    ...EmbeddedLine[],
  ]
  return new EmbeddedSource(head, lines)
}

test('a page shows what the model sees, and saw, as the library does', async (t) => {
  const root = temporaryFolder(t)
  const id = await storeLineage(root)
  for (const [session, ats] of [
    [id, [undefined, 'u4']],
    ['one', [undefined, 'u1', 'u2', 'u3']],
  ] as const) {
    const source = readPage(await exportText(root, session))
    const store = openContext({ root })
    const path = findTranscript(store, session)
    for (const at of ats) {
      const { entries } = readMessagePage(store, path, { limit: 100, at })
      const wanted = entries.map((entry) => (entry.kind === 'gap' ? null : entry.event.uuid))
      const rows = await source.readSeen(at)
      expect(rows.map(({ uuid }) => uuid)).toEqual(wanted)
      const messages = await source.readMessages({ at, from: 0, limit: 100 })
      expect(messages.map(({ text }) => text)).toEqual(
        entries.map((entry) => (entry.kind === 'summary' ? entry.text : undefined)),
      )
    }
  }
})

test('a page holds every line of the session and its subagents, and finds text in them', async (t) => {
  const root = temporaryFolder(t)
  await storeLineage(root)
  const source = readPage(await exportText(root, 'one'))
  expect(await source.readSession()).toMatchObject({ id: 'one', turns: 3 })
  const { entries } = await source.readOutline(undefined)
  expect(entries.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(['u1', 'u2', 'u3']))
  const task = await source.readOutline(undefined, 'T1')
  expect(task.entries.map(({ type }) => type)).toContain('sidechain_header')
  expect(await source.search('LEFT')).toMatchObject([{ uuid: 'u3', ranges: [[0, 4]] }])
  const withoutChildren = readPage(await exportText(root, 'one', { children: false }))
  expect((await withoutChildren.readOutline(undefined, 'T1')).entries).toEqual([])
})

test('no text of a session ends its element, and secrets are replaced unless allowed', async (t) => {
  const root = temporaryFolder(t)
  await storeLineage(root)
  const html = await exportText(root, 'one')
  expect(html).not.toContain('</script><b>')
  expect(html).not.toContain(SECRET)
  expect(html).toContain('[REDACTED]')
  expect(await exportText(root, 'one', { allowSecrets: true })).toContain(SECRET)
})

test('a template that was not built is refused', async (t) => {
  const root = temporaryFolder(t)
  await storeLineage(root)
  const failing = exportText(root, 'one', { template: '<html>' })
  await expect(failing).rejects.toMatchObject({ code: 'ERR_ARG' })
})
