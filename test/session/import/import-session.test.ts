// Foreign files to sessions, on a real disk: the same again, grown, changed, cut short, with subagents.

import { createHash } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSidechain } from '../../../lib/free-functions.js'
import {
  importSession,
  listSessions,
  listSidechains,
  renameSession,
  resumeSession,
  searchSessions,
  verifyLog,
} from '../../../lib/index.js'
import { IMPORTERS } from '../../../lib/interchange/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { FOREIGN, foreignCases } from '../../contracts/foreign-files.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { CLAUDE, setUp } from './foreign-source.js'

async function shown(id: string, root: string): Promise<string[]> {
  const { messages } = await resumeSession({ id, root, home: root, mode: 'inspect' })
  return messages.filter(({ synthetic }) => synthetic !== true).map(({ uuid }) => uuid)
}

describe('importSession', () => {
  // Requirement: 001-23
  it('makes a session that is listed, searched and resumed like any other', async (t) => {
    const { path, ...store } = setUp(t)
    const report = await importSession(path, store)
    expect(report).toMatchObject({
      path,
      format: 'claude-code',
      sessionId: CLAUDE,
      lines: 15,
      dropped: { permission_state: 4, stream_part: 1 },
      repaired: {},
      skipped: null,
    })
    const { sessions } = listSessions(store)
    expect(sessions).toMatchObject([
      { sessionId: CLAUDE, title: 'The key', project: '/home/ada/app', status: 'clean' },
    ])
    expect((await searchSessions({ ...store, query: 'config key' })).hits).toHaveLength(1)
    expect(await shown(CLAUDE, store.root)).toEqual(['u1', 'a1', 'u2', 'a2'])
    const resumed = await resumeSession({ ...store, id: CLAUDE })
    expect(resumed.messages.map(({ uuid }) => uuid)).toEqual(['u1', 'a1', 'u2', 'a2'])
    await resumed.session!.close()
    const { findings } = await verifyLog(report.transcriptPath!)
    expect(findings).toEqual([])
  })

  it('records the position of every byte of the source', async (t) => {
    const { path, ...store } = setUp(t)
    const { transcriptPath } = await importSession(path, { ...store, keepSource: true })
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex')
    const copy = readFileSync(join(store.root, '.imports', sha256))
    expect(copy).toEqual(readFileSync(path))
    let checked = 0
    for (const entry of readLogSync(transcriptPath!)) {
      if (entry.kind !== 'event') continue
      const { imported_from } = entry.event.payload as Record<string, unknown>
      if (imported_from === undefined) continue
      const mark = imported_from as { offset: number; length: number; sha256: string }
      const original = copy.subarray(mark.offset, mark.offset + mark.length)
      expect(createHash('sha256').update(original).digest('hex')).toBe(mark.sha256)
      checked++
    }
    expect(checked).toBe(15)
  })

  it('imports nothing from an unchanged file', async (t) => {
    const { path, ...store } = setUp(t)
    const { transcriptPath } = await importSession(path, store)
    const before = readFileSync(transcriptPath!)
    const again = await importSession(path, store)
    expect(again).toMatchObject({ events: 0, skipped: { reason: 'unchanged' } })
    expect(readFileSync(transcriptPath!)).toEqual(before)
  })

  it('imports again what was damaged here since, when the file has grown', async (t) => {
    const { path, ...store } = setUp(t)
    const { transcriptPath } = await importSession(path, store)
    const here = readFileSync(transcriptPath!)
    const reply = here.indexOf('"content":', here.indexOf('"uuid":"a2"'))
    here[reply + 20]! ^= 1
    writeFileSync(transcriptPath!, here)
    expect(await shown(CLAUDE, store.root)).not.toContain('a2')
    appendFileSync(path, '{"type":"tag","tag":"x","sessionId":"s"}\n')
    await importSession(path, store)
    expect(await shown(CLAUDE, store.root)).toContain('a2')
  })

  it('refuses a file whose imported part has changed', async (t) => {
    const { path, ...store } = setUp(t)
    const { transcriptPath } = await importSession(path, store)
    const before = readFileSync(transcriptPath!)
    writeFileSync(path, readFileSync(path, 'utf8').replace('rename the', 'remove the'))
    appendFileSync(path, '{"type":"tag","tag":"x","sessionId":"s"}\n')
    const changed = await importSession(path, store)
    expect(changed.skipped).toMatchObject({ reason: 'changed_past' })
    truncateSync(path, readFileSync(path).indexOf('\n', 600) + 1)
    expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'changed_past' })
    expect(readFileSync(transcriptPath!)).toEqual(before)
  })

  it('adds nothing to a session that was continued here', async (t) => {
    const { path, ...store } = setUp(t)
    await importSession(path, store)
    const { session } = await resumeSession({ ...store, id: CLAUDE, mode: 'append' })
    await session!.append({ type: 'user', payload: { content: 'from here on' } })
    await session!.close()
    expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'unchanged' })
    appendFileSync(path, '{"type":"user","uuid":"z","parentUuid":"a2","message":{"content":"x"}}\n')
    const refused = await importSession(path, store)
    expect(refused.skipped).toMatchObject({ reason: 'continued_here' })
  })

  it('adds nothing to a session that was recorded here', async (t) => {
    const { path, ...store } = setUp(t)
    const { createSession } = await import('../../../lib/index.js')
    const session = await createSession({ ...store, id: CLAUDE })
    await session.append({ type: 'user', payload: { content: 'mine' } })
    await session.close()
    expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'exists' })
  })

  it('writes nothing on a dry run, and reports the same', async (t) => {
    const { path, ...store } = setUp(t)
    const dry = await importSession(path, { ...store, dryRun: true })
    expect(listSessions(store).sessions).toEqual([])
    expect(dry).toEqual(await importSession(path, store))
  })

  it('imports an unfinished line when it is finished', async (t) => {
    const { path, ...store } = setUp(t)
    const whole = readFileSync(path)
    const cut = whole.indexOf('"uuid":"a2"')
    truncateSync(path, cut)
    const first = await importSession(path, store)
    expect(first.dropped).toMatchObject({ unfinished_line: 1 })
    expect(await shown(CLAUDE, store.root)).toEqual(['u1', 'a1', 'u2'])
    expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'unchanged' })
    writeFileSync(path, whole)
    expect((await importSession(path, store)).skipped).toBeNull()
    expect(await shown(CLAUDE, store.root)).toEqual(['u1', 'a1', 'u2', 'a2'])
  })

  it('keeps a title that was given to the session here', async (t) => {
    const { path, ...store } = setUp(t)
    await importSession(path, store)
    await renameSession(CLAUDE, 'Mine', store)
    appendFileSync(path, '{"type":"user","uuid":"z","parentUuid":"a2","message":{"content":"x"}}\n')
    expect((await importSession(path, store)).events).toBe(1)
    expect(listSessions(store).sessions).toMatchObject([{ title: 'Mine' }])
    appendFileSync(path, '{"type":"custom-title","customTitle":"Newer","sessionId":"s"}\n')
    await importSession(path, store)
    expect(listSessions(store).sessions).toMatchObject([{ title: 'Newer' }])
  })

  it('continues an interrupted import', async (t) => {
    const { path, ...store } = setUp(t)
    const { transcriptPath } = await importSession(path, store)
    const whole = readFileSync(transcriptPath!)
    // As if the process had died after some lines: no account of the import is there.
    truncateSync(transcriptPath!, whole.indexOf('{"type":"assistant"'))
    expect((await importSession(path, store)).skipped).toBeNull()
    expect(await shown(CLAUDE, store.root)).toEqual(['u1', 'a1', 'u2', 'a2'])
    expect((await verifyLog(transcriptPath!)).findings).toEqual([])
  })

  it('gives every inline subagent a log of its own', async (t) => {
    const { path, ...store } = setUp(t, 'claude-code/inline-sidechain')
    const { sidechains } = await importSession(path, store)
    expect(sidechains).toMatchObject([{ path, taskId: 'x1', events: 2, skipped: null }])
    expect(listSidechains({ ...store, session: CLAUDE }).sidechains).toMatchObject([
      {
        taskId: 'x1',
        agentType: 'counter',
        toolCallId: 't1',
        parentUuid: 'x1~spawn',
        status: 'completed',
        summary: 'There are 3.',
        prompt: 'count the files',
      },
    ])
    const { path: log } = findSidechain('x1', store)
    expect((await verifyLog(log)).findings).toEqual([])
  })

  it('imports subagents from files beside the session', async (t) => {
    const { path, ...store } = setUp(t, 'claude-code/branches')
    const folder = join(dirname(path), CLAUDE, 'subagents')
    mkdirSync(folder, { recursive: true })
    const line = (uuid: string, parentUuid: string | null, type: string, content: string) =>
      JSON.stringify({
        parentUuid,
        isSidechain: true,
        agentId: 'abc',
        sessionId: CLAUDE,
        type,
        uuid,
        timestamp: '2026-01-31T12:00:00.000Z',
        message: { role: type, content },
      })
    const agent = `${line('x1', null, 'user', 'go')}\n${line('x2', 'x1', 'assistant', 'Gone.')}\n`
    writeFileSync(join(folder, 'agent-abc.jsonl'), agent)
    writeFileSync(join(folder, 'agent-abc.meta.json'), '{"agentType":"runner","toolUseId":"t9"}')
    const { sidechains } = await importSession(path, store)
    expect(sidechains).toMatchObject([{ taskId: 'abc', sessionId: CLAUDE, events: 2 }])
    expect(findSidechain('abc', store)).toMatchObject({
      parentSessionId: CLAUDE,
      agentType: 'runner',
      toolCallId: 't9',
      status: 'completed',
      summary: 'Gone.',
    })
    const again = await importSession(path, store)
    expect(again.sidechains).toMatchObject([{ skipped: { reason: 'unchanged' } }])
  })

  it('links a subagent in a file to the call whose result names it', async (t) => {
    const { path, ...store } = setUp(t)
    const line = (uuid: string, parentUuid: string | null, message: object, more = {}) => ({
      ...{ type: (message as { role: string }).role, uuid, parentUuid, sessionId: CLAUDE },
      ...{ timestamp: '2026-01-31T12:00:00.000Z', message },
      ...more,
    })
    const input = { prompt: 'look', subagent_type: 'scout' }
    const call = [{ type: 'tool_use', id: 't1', name: 'Agent', input }]
    const result = [{ type: 'tool_result', tool_use_id: 't1', content: 'Found.' }]
    const again = [{ type: 'tool_use', id: 't2', name: 'Agent', input }]
    const more = [{ type: 'tool_result', tool_use_id: 't2', content: 'Found more.' }]
    const inFile = { isSidechain: true, agentId: 'abc' }
    const jsonl = (lines: readonly object[]) =>
      lines.map((value) => `${JSON.stringify(value)}\n`).join('')
    const folder = join(dirname(path), CLAUDE, 'subagents')
    mkdirSync(folder, { recursive: true })
    const task = [line('x1', null, { role: 'user', content: 'look' }, inFile)]
    writeFileSync(join(folder, 'agent-abc.jsonl'), jsonl(task))
    const named = { toolUseResult: { agentId: 'abc' } }
    const lines = [
      line('u1', null, { role: 'user', content: 'go' }),
      line('a1', 'u1', { role: 'assistant', id: 'm1', content: call }),
      line('u2', 'a1', { role: 'user', content: result }, named),
      // Named by a line that answers no call, and a subagent of which no file is left.
      line('u3', 'u2', { role: 'user', content: 'thanks' }, named),
      line('u4', 'u3', { role: 'user', content: result }, { toolUseResult: { agentId: 'lost' } }),
      // Called once more.
      line('a2', 'u4', { role: 'assistant', id: 'm2', content: again }),
      line('u5', 'a2', { role: 'user', content: more }, named),
    ]
    writeFileSync(path, jsonl(lines))
    const { transcriptPath } = await importSession(path, store)
    expect(findSidechain('abc', store)).toMatchObject({
      ...{ toolCallId: 't1', agentType: 'scout', parentUuid: 'abc~spawn' },
      ...{ status: 'completed', summary: 'Found more.' },
    })
    const events = [...readLogSync(transcriptPath!)].flatMap((entry) =>
      entry.kind === 'event' ? [entry.event] : [],
    )
    const reported = events.filter(({ type }) => type.startsWith('subagent_'))
    expect(reported.map(({ type, payload }) => [type, payload])).toMatchObject([
      ['subagent_spawn', { task_id: 'abc' }],
      ['subagent_result', { task_id: 'abc', tool_call_id: 't1', summary: 'Found.' }],
      ['subagent_result', { task_id: 'abc', tool_call_id: 't2', summary: 'Found more.' }],
    ])
    expect((await verifyLog(transcriptPath!)).findings).toEqual([])
  })

  it('imports the subagents of a Gemini chat from the folder with its id', async (t) => {
    const { path, ...store } = setUp(t, 'gemini/rewind')
    const chat = '88888888-8888-4888-8888-888888888888'
    const folder = join(dirname(path), chat)
    mkdirSync(folder)
    const child = readFileSync(join(FOREIGN, 'gemini', 'plain.jsonl'), 'utf8')
    writeFileSync(join(folder, 'child.jsonl'), child.replace(chat, 'child'))
    const report = await importSession(path, store)
    expect(report).toMatchObject({ sessionId: chat, sidechains: [{ taskId: 'child' }] })
    const sidechain = findSidechain('child', store)
    expect(sidechain).toMatchObject({ parentSessionId: chat, prompt: 'read a' })
    expect((await verifyLog(sidechain.path)).findings).toEqual([])
  })

  it('writes a placeholder for a record that is nested too deeply', async (t) => {
    const { path, ...store } = setUp(t, 'claude-code/branches')
    const deep = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`
    const block = `{"type":"text","text":"x","more":${deep}}`
    const message = `{"role":"assistant","id":"m9","content":[${block}]}`
    const rest = '"parentUuid":"a3","sessionId":"s","message":'
    appendFileSync(path, `{"type":"assistant","uuid":"deep",${rest}${message}}\n`)
    const report = await importSession(path, store)
    expect(report.dropped).toMatchObject({ refused: 1 })
    expect((await shown(CLAUDE, store.root)).at(-1)).toBe('deep')
  })

  it('refuses a file that is not a transcript, and an unknown format', async (t) => {
    const { path, ...store } = setUp(t)
    writeFileSync(path, 'hello\n')
    expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'not_json' })
    await expect(importSession(path, { ...store, from: 'word' })).rejects.toThrow(/codex, pi/)
    await expect(importSession(`${path}.gone`, store)).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    })
  })
})

// Wherever a file was cut when it was first read, the rest makes it what it is as a whole.
for (const { format } of IMPORTERS) {
  it(`a grown ${format} file imports the rest, from any line on`, async (t) => {
    const folder = temporaryFolder(t)
    for (const { name, bytes, path: fixture } of foreignCases(format)) {
      const root = join(folder, name, 'whole')
      const { sessionId } = await importSession(fixture, { root, home: root })
      const expected = await shown(sessionId!, root)
      const ends = [...bytes.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []))
      for (const end of everyThird(ends.slice(0, -1))) {
        const grown = join(folder, name, String(end))
        const path = join(grown, `${name}.jsonl`)
        mkdirSync(grown, { recursive: true })
        writeFileSync(path, bytes.subarray(0, end))
        const store = { root: grown, home: grown, from: format }
        const first = await importSession(path, store)
        appendFileSync(path, bytes.subarray(end))
        await importSession(path, store)
        if (first.sessionId !== sessionId) continue
        expect(await shown(sessionId!, grown), `${name} cut at ${end}`).toEqual(expected)
      }
      expect(readdirSync(join(root, '.transcripts'))).toHaveLength(1)
    }
  })
}

function everyThird<Item>(items: readonly Item[]): Item[] {
  return items.filter((_, index) => index % 3 === 1)
}
