// Redaction on the way to the disk. A canary is planted wherever text comes in, and then looked
// for in every byte of the store, as `grep -r` would.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import {
  append_transcript,
  createSession,
  renameSession,
  resumeSession,
  verifyLog,
} from '../../lib/free-functions.js'
import type { NewEvent } from '../../lib/log/index.js'
import { createRedactor } from '../../lib/redaction/index.js'
import type { Session } from '../../lib/session/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

type Context = Parameters<typeof temporaryFolder>[0]

const CANARY = `ghp_${'c4N4'.repeat(9)}`
const signed = { type: 'thinking', thinking: `the key is ${CANARY}`, signature: 'aB3'.repeat(40) }

async function newSession(t: Context, options: Parameters<typeof createSession>[0] = {}) {
  const root = options.root ?? temporaryFolder(t)
  let time = Date.UTC(2026, 0, 1)
  let count = 0
  const environment = { now: () => (time += 1000), newUuid: () => `u${++count}` }
  const session = await createSession({ root, id: 'demo', cwd: '/', environment, ...options })
  t.onTestFinished(() => session.release().catch(() => {}))
  return { root, session }
}

function everyByte(root: string): string {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
  return files
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('')
}

async function sayAll(session: Session): Promise<void> {
  await session.append({ type: 'user', uuid: 'm1', payload: { content: `I paste ${CANARY}` } })
  await session.append({
    type: 'tool_call',
    payload: { tool_call_id: 't1', name: 'Bash', input: { command: `GH_TOKEN=${CANARY} gh` } },
  })
  await session.appendAll([
    {
      type: 'tool_result',
      payload: { tool_call_id: 't1', content: `token: ${CANARY}`, is_error: false },
    },
    { type: 'acme:note', payload: { deep: [{ password: CANARY.slice(4) }] } },
  ])
  await session.append({ type: 'assistant', uuid: 'm2', payload: { content: [signed] } })
  await session.rename(`About ${CANARY}`)
  await session.compact({
    summary: `They use ${CANARY}.`,
    customInstructions: `Mind ${CANARY}`,
    keepFrom: 'm2',
  })
  await session.rewind({ to: 'm2', reason: `because of ${CANARY}` })
  await session.append({ type: 'remember', payload: { text: CANARY } })
}

test('a secret in a prompt, a tool, a summary or a title never reaches the disk', async (t) => {
  const { root, session } = await newSession(t, { redactOnWrite: true })
  await sayAll(session)
  await session.close()
  const bytes = everyByte(root)
  expect(bytes.split(JSON.stringify(signed))).toHaveLength(2)
  const rest = bytes.replace(JSON.stringify(signed), '')
  expect(rest).not.toContain(CANARY.slice(4))
  expect(rest.split('[REDACTED]').length - 1).toBeGreaterThanOrEqual(10)
  const report = await verifyLog(session.path)
  expect(report.findings).toEqual([])
})

test('a signed thinking block survives byte for byte', async (t) => {
  const { session } = await newSession(t, { redactOnWrite: true })
  const content = [signed, { type: 'text', text: CANARY }]
  const { byteOffset } = await session.append({ type: 'assistant', payload: { content } })
  const line = readFileSync(session.path).subarray(byteOffset).toString()
  const written = [signed, { type: 'text', text: '[REDACTED]' }]
  expect(line).toContain(`"payload":${JSON.stringify({ content: written })}`)
})

test('a part that its writer declares opaque survives, and the declaration is not stored', async (t) => {
  const { session } = await newSession(t, { redactOnWrite: true })
  const payload = {
    content: [
      { type: 'acme', sealed: CANARY },
      { type: 'text', text: CANARY },
    ],
  }
  const event: NewEvent = { type: 'user', payload, opaque: ['/content/0'] }
  const { byteOffset } = await session.append(event)
  const line = readFileSync(session.path).subarray(byteOffset).toString()
  expect(line).toContain(
    `[{"type":"acme","sealed":"${CANARY}"},{"type":"text","text":"[REDACTED]"}]`,
  )
  expect(line).not.toContain('opaque')
})

test('without the option the bytes are those that were given', async (t) => {
  const files: Buffer[] = []
  for (const options of [{}, { redactOnWrite: false }]) {
    const { session } = await newSession(t, options)
    await sayAll(session)
    await session.release()
    files.push(readFileSync(session.path))
  }
  expect(files[0]!.equals(files[1]!)).toBe(true)
  expect(files[0]!.toString().split(CANARY).length - 1).toBeGreaterThanOrEqual(8)
  expect(files[0]!.toString()).not.toContain('[REDACTED]')
})

test('an event without secrets is written as it would be without the option', async (t) => {
  const files: Buffer[] = []
  for (const redactOnWrite of [false, true]) {
    const { session } = await newSession(t, { redactOnWrite })
    await session.append({ type: 'user', payload: { content: 'hello', 1: [null, { a: -0 }] } })
    await session.compact({ summary: 'They said hello.' })
    await session.release()
    files.push(readFileSync(session.path))
  }
  expect(files[0]!.equals(files[1]!)).toBe(true)
})

test('listeners and readers get the redacted text', async (t) => {
  const { root, session } = await newSession(t, { redactOnWrite: true })
  const told: unknown[] = []
  session.onAppend(({ payload }) => told.push(payload))
  await session.append({ type: 'user', payload: { content: CANARY } })
  await session.appendAll([{ type: 'assistant', payload: { content: CANARY } }])
  expect(told).toEqual([{ content: '[REDACTED]' }, { content: '[REDACTED]' }])
  const seen = session.messages().messages.map(({ payload }) => payload)
  expect(seen).toEqual(told)
  await session.close()
  const { messages } = await resumeSession({ root, id: 'demo', mode: 'inspect' })
  expect(messages.map(({ payload }) => payload)).toEqual(told)
})

test('an event that is appended again is still recognised', async (t) => {
  const { session } = await newSession(t, { redactOnWrite: true })
  const event = { type: 'user', uuid: 'once', payload: { content: CANARY } } as const
  await session.append(event)
  expect(await session.append(event)).toMatchObject({ uuid: 'once', duplicate: true })
})

test('an earlier title is not repeated unredacted', async (t) => {
  const { root, session } = await newSession(t)
  await session.rename(`About ${CANARY}`)
  await session.release()
  const size = statSync(session.path).size
  const { session: next } = await resumeSession({
    root,
    id: 'demo',
    mode: 'append',
    redactOnWrite: true,
  })
  await next!.append({ type: 'user', payload: { content: 'x'.repeat(60_000) } })
  await next!.append({ type: 'assistant', payload: { content: 'hello' } })
  await next!.close()
  const added = readFileSync(session.path).subarray(size).toString()
  expect(added).toContain('"title":"About [REDACTED]"')
  expect(added).not.toContain(CANARY)
})

test('a failing rule lets no text through, and is reported', async (t) => {
  const told: Diagnostic[] = []
  const broken = {
    name: 'broken',
    redact: (text: string) => {
      if (text.includes('harmless')) throw new Error(`cannot bear ${text}`)
      return text
    },
  }
  const { session } = await newSession(t, {
    redactOnWrite: createRedactor({ rules: [broken] }),
    onDiagnostic: (diagnostic) => told.push(diagnostic),
  })
  await session.append({ type: 'user', payload: { content: 'harmless', kept: 'words' } })
  expect(session.messages().messages[0]?.payload).toEqual({ content: '[REDACTED]', kept: 'words' })
  expect(told).toEqual([
    {
      code: 'redaction_failed',
      severity: 'error',
      message: 'The redaction rule "broken" threw an error; the text was written as [REDACTED]',
    },
  ])
})

test('rejects an invalid event as usual, and does not move the tip', async (t) => {
  const { session } = await newSession(t, { redactOnWrite: true })
  const { size } = session
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  for (const [payload, code] of [
    [{ permissions: [CANARY] }, 'ERR_PERMISSION_STATE'],
    [{ content: new Map([[CANARY, CANARY]]) }, 'ERR_SERIALIZE'],
    [{ content: [Number.NaN] }, 'ERR_SERIALIZE'],
    [circle, 'ERR_SERIALIZE'],
    [{ ledger: session.permissions }, 'ERR_PERMISSION_STATE'],
  ] as const) {
    await expect(session.append({ type: 'acme:note', payload })).rejects.toMatchObject({ code })
  }
  await expect(
    session.append({ type: 'user', payload: { content: CANARY }, opaque: ['content'] }),
  ).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(session.size).toBe(size)
})

test('rejects an invalid redactor', async (t) => {
  const root = temporaryFolder(t)
  for (const redactOnWrite of ['yes', {}, { text: String, value: String }] as never[]) {
    await expect(createSession({ root, redactOnWrite })).rejects.toThrow(TypeError)
    const event = { type: 'user', payload: { content: CANARY } }
    await expect(
      append_transcript({ session_id: 's', event }, { root, redactOnWrite }),
    ).rejects.toThrow(TypeError)
  }
  expect(everyByte(root)).toBe('')
})

test('append_transcript redacts, also what it leaves for another process', async (t) => {
  const root = temporaryFolder(t)
  const options = { root, redactOnWrite: true }
  const event = { type: 'user', payload: { content: `Bearer ${CANARY}` } }
  await append_transcript({ session_id: 'alone', event }, options)
  const { session } = await newSession(t, { root, id: 'held' })
  const remember = { type: 'remember', payload: { text: `Bearer ${CANARY}` } }
  const { queued } = await append_transcript({ session_id: 'held', event: remember }, options)
  expect(queued).toBe(true)
  await renameSession('held', `About ${CANARY}`, options)
  expect(readdirSync(join(root, '.spool')).length).toBeGreaterThanOrEqual(2)
  expect(everyByte(root)).not.toContain(CANARY)
  await session.close()
  expect(everyByte(root)).not.toContain(CANARY)
  expect(readFileSync(session.path, 'utf8')).toContain('"text":"Bearer [REDACTED]"')
})

test('redacts spooled events of other processes when it appends them', async (t) => {
  const { root, session } = await newSession(t, { redactOnWrite: true })
  const event = { type: 'remember', payload: { text: `Bearer ${CANARY}` } }
  await append_transcript({ session_id: 'demo', event }, { root })
  await session.close()
  expect(everyByte(root)).not.toContain(CANARY)
  expect(readFileSync(session.path, 'utf8')).toContain('"text":"Bearer [REDACTED]"')
})
