// Uuids are unique within one file only, and a retried append may repeat one there, too. A cut that
// a boundary could not name would cover what nobody summed up, so it is refused and nothing is
// written.

import { appendFileSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { append_transcript, createSession, resumeSession } from '../../lib/free-functions.js'
import type { Session } from '../../lib/session/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

const seen = (session: Session) =>
  session.messages().messages.map(({ payload }) => {
    const { content, text } = payload as { content?: string; text?: string }
    return content ?? text
  })

async function say(session: Session, speaker: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const payload = { content: `${speaker}${number}` }
    await session.append({ type: 'user', uuid: String(number), payload })
  }
}

/** A harness that numbers its events anew in every session. */
async function numbered(t: Context): Promise<Session> {
  const options = { root: temporaryFolder(t), continuity: false } as const
  const parent = await createSession({ ...options, id: 'parent' })
  await say(parent, 'p', 4)
  await parent.close()
  const { session } = await resumeSession({ ...options, id: 'parent', newId: 'child' })
  t.onTestFinished(() => session!.release())
  await say(session!, 'c', 2)
  return session!
}

test('a prefix whose first message shares its name with a later one cannot be kept', async (t) => {
  const child = await numbered(t)
  const before = readFileSync(child.path)
  const refused = child.compact({ summary: 'S', keepUpTo: '3' })
  await expect(refused).rejects.toMatchObject({ code: 'ERR_ARG', details: { uuid: '1' } })
  expect(readFileSync(child.path)).toEqual(before)
  expect(seen(child)).toEqual(['p1', 'p2', 'p3', 'p4', 'c1', 'c2'])
})

test('what is kept from a name on is kept from the last message of that name on', async (t) => {
  const child = await numbered(t)
  await child.compact({ summary: 'S', keepFrom: '1' })
  expect(seen(child)).toEqual(['S', 'c1', 'c2'])
})

/** The second event was written again by a retry that did not know of the first. */
async function repeated(t: Context, ...after: readonly string[]): Promise<Session> {
  const options = { root: temporaryFolder(t), continuity: false } as const
  const session = await createSession({ ...options, id: 'retried' })
  await say(session, 'm', 4)
  await session.release()
  const [, , second] = readFileSync(session.path, 'utf8').split('\n')
  const { crc: _, ...again } = JSON.parse(second!) as Record<string, unknown>
  appendFileSync(session.path, `${JSON.stringify({ ...again, prev_uuid: '4' })}\n`)
  for (const uuid of after) {
    const event = { type: 'user', uuid, payload: { content: `m${uuid}` } }
    await append_transcript({ session_id: 'retried', event }, options)
  }
  const resumed = await resumeSession({ ...options, id: 'retried', mode: 'append' })
  t.onTestFinished(() => resumed.session!.release())
  return resumed.session!
}

test('a cut at a message that is repeated later is refused, not made at the repetition', async (t) => {
  const session = await repeated(t, '5')
  expect(seen(session)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
  const refused = session.compact({ summary: 'S', keepFrom: '2' })
  await expect(refused).rejects.toMatchObject({ code: 'ERR_ARG' })
  await session.compact({ summary: 'S', keepFrom: '3' })
  expect(seen(session)).toEqual(['S', 'm3', 'm4', 'm2', 'm5'])
})

test('where nothing is kept, a repeated line at the end is covered like all the others', async (t) => {
  const session = await repeated(t)
  expect(seen(session)).toEqual(['m1', 'm2', 'm3', 'm4'])
  await session.compact({ summary: 'S' })
  expect(seen(session)).toEqual(['S'])
})
