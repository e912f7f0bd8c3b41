import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openStore } from '../../lib/index.js'
import { release010 } from '../helpers/release-0.1.0.js'
import { temporaryFolder } from '../helpers/temporary.js'

const text = (messages: readonly { payload: unknown }[]) =>
  messages.map(({ payload }) => (payload as { content?: unknown }).content)

const assistant = (content: string) => ({ type: 'assistant' as const, payload: { content } })

test('the final reply takes the place of the partial ones', async (context) => {
  const store = openStore({ root: temporaryFolder(context) })
  const session = await store.createSession({ id: 's' })
  await session.prompt('Count.')
  let { uuid } = await session.append({ ...assistant('one'), partial: true })
  expect(text(session.messages().messages)).toEqual(['Count.', 'one'])
  const second = await session.append({
    ...assistant('one two'),
    partial: true,
    supersedes: uuid,
  })
  expect(text(session.messages().messages)).toEqual(['Count.', 'one two'])
  ;({ uuid } = await session.append({ ...assistant('one two three'), supersedes: second.uuid }))
  const { messages } = session.messages()
  expect(text(messages)).toEqual(['Count.', 'one two three'])
  expect(messages[1]?.payload).toEqual({ content: 'one two three', supersedes: second.uuid })
  expect(session.interruption.kind).toBe('none')
  expect(session.tip).toBe(uuid)
  await session.prompt('Thanks.')
  await session.close()
  const resumed = await store.resumeSession({ id: 's', mode: 'inspect' })
  expect(text(resumed.messages)).toEqual(['Count.', 'one two three', 'Thanks.'])
  expect(resumed).toMatchObject({ degraded: false, diagnostics: [] })
})

test('a live projection of superseded replies equals the one that is read from the file', async (context) => {
  const root = temporaryFolder(context)
  const session = await openStore({ root }).createSession({ id: 's' })
  for (let turn = 0; turn < 3; turn++) {
    await session.prompt(`Prompt ${turn}`)
    let supersedes: string | undefined
    for (let part = 0; part < 4; part++) {
      const event = { ...assistant(`${turn}.${part}`), partial: part < 3, supersedes }
      supersedes = (await session.append(event)).uuid
      if (part === 1) await session.append({ type: 'turn_end', payload: {} })
      const { messages } = await openStore({ root }).resumeSession({ id: 's', mode: 'inspect' })
      expect(text(session.messages().messages)).toEqual(text(messages))
      const read = session.projectionAt(session.tip!)
      expect(JSON.stringify(session.projection.entries)).toBe(JSON.stringify(read.entries))
    }
  }
  await session.close()
})

test('a writer killed while a reply is streamed leaves the partial reply, marked', async (context) => {
  const root = temporaryFolder(context)
  const index = new URL('../../dist/lib/index.js', import.meta.url).href
  const program = `
    const { openStore } = await import(${JSON.stringify(index)})
    const session = await openStore({ root: process.argv[1] }).createSession({ id: 's' })
    await session.prompt('Count.')
    await session.append({ type: 'assistant', payload: { content: 'one' }, partial: true })
    console.log('written')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, root])
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { messages, interruption } = await openStore({ root }).resumeSession({ id: 's' })
  expect(messages.at(-1)).toMatchObject({ payload: { content: 'one', partial: true } })
  expect(interruption.found).toEqual([{ kind: 'partial_reply', uuids: [messages.at(-1)!.uuid] }])
})

test('the same final reply again is recognised by its uuid', async (context) => {
  const session = await openStore({ root: temporaryFolder(context) }).createSession({ id: 's' })
  await session.prompt('Count.')
  const { uuid } = await session.append({ ...assistant('one'), partial: true })
  const final = { ...assistant('one two'), supersedes: uuid, uuid: 'final' }
  await session.append(final)
  await session.prompt('Next.')
  expect(await session.append(final)).toMatchObject({ uuid: 'final', duplicate: true })
  const other = { ...final, supersedes: 'other' }
  await expect(session.append(other)).rejects.toThrow('"other" is not the newest message')
  expect(text(session.messages().messages)).toEqual(['Count.', 'one two', 'Next.'])
  await session.close()
})

test('only the newest partial reply can be superseded, and only by a reply', async (context) => {
  const session = await openStore({ root: temporaryFolder(context) }).createSession({ id: 's' })
  const { uuid: prompt } = await session.prompt('Count.')
  const whole = await session.append(assistant('done'))
  const supersede = (supersedes: string) => session.append({ ...assistant('other'), supersedes })
  await expect(supersede(whole.uuid)).rejects.toThrow(/is not a partial reply/)
  await expect(supersede(prompt)).rejects.toThrow(/not the newest message/)
  await expect(supersede('unknown')).rejects.toThrow(/not the newest message/)
  const user = { type: 'user' as const, payload: { content: 'x' }, partial: true }
  await expect(session.append(user)).rejects.toThrow(/Only an assistant event/)
  const linked = { ...assistant('x'), supersedes: whole.uuid, prev_uuid: prompt }
  await expect(session.append(linked)).rejects.toThrow(/leave out prev_uuid/)
  const batch = [{ ...assistant('x'), partial: true }]
  await expect(session.appendAll(batch)).rejects.toMatchObject({ code: 'ERR_ARG' })
  expect(text(session.messages().messages)).toEqual(['Count.', 'done'])
  await session.close()
})

test('0.1.0 shows only the final reply, and the partial one after a crash', async (context) => {
  const root = temporaryFolder(context)
  const session = await openStore({ root }).createSession({ id: 's' })
  await session.prompt('Count.')
  const { uuid } = await session.append({ ...assistant('one'), partial: true })
  const inspect = () => release010.resumeSession({ root, id: 's', mode: 'inspect' })
  expect(text((await inspect()).messages)).toEqual(['Count.', 'one'])
  await session.append({ ...assistant('one two'), supersedes: uuid })
  const seen = await inspect()
  expect(text(seen.messages)).toEqual(['Count.', 'one two'])
  expect(seen).toMatchObject({ degraded: false, diagnostics: [] })
  await session.close()
  expect(await release010.verifyLog(session.path)).toMatchObject({ findings: [] })
})
