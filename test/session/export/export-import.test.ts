// An export read back is the session again: the same lines, the same projection, the same subagents.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isGap } from '../../../lib/chain/index.js'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { createSession, exportSession, importExported, verifyLog } from '../../../lib/index.js'
import { writeAtomicFile } from '../../../lib/log/index.js'
import { layoutOf, listSidechains, loadSession, openContext } from '../../../lib/store/index.js'
import { randomHistory, randomSteps } from '../../chain/random-history.js'
import { collect } from '../../helpers/collect.js'
import { contextOfLayout } from '../../helpers/context.js'
import { line, time } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

/** What the model sees, with the text of every summary. */
function seenIn(root: string, id: string): unknown[] {
  const layout = layoutOf({ root }, systemEnvironment.host)
  const { log } = loadSession(contextOfLayout(layout), layout.transcriptPath(id))
  return log.projection.entries.map((entry) =>
    isGap(entry) ? entry.kind : [entry.event, entry.kind === 'summary' ? entry.text : null],
  )
}

async function exported(root: string, id: string, options = {}): Promise<string> {
  return (await collect(exportSession(id, { root, ...options }))).join('')
}

async function exportFile(root: string, id: string, options = {}): Promise<string> {
  const path = join(root, `${id}.export.jsonl`)
  await writeAtomicFile(path, exportSession(id, { root, ...options }), systemEnvironment, {
    replace: true,
  })
  return path
}

function filesIn(root: string): Record<string, string> {
  return Object.fromEntries(
    ['.transcripts', '.sidechains'].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => [
        `${folder}/${name}`,
        readFileSync(join(root, folder, name), 'utf8'),
      ]),
    ),
  )
}

function child(task: string, texts: readonly string[]): Buffer {
  const origin = { parent_session_id: 'log', parent_uuid: 'H', depth: 1 }
  const payload = { format: 1, task_id: task, ...origin, start_ts: time(0) }
  const header = line('sidechain_header', { uuid: `${task}-0`, payload })
  const rest = texts.map((content, index) =>
    line('user', {
      uuid: `${task}-${index + 1}`,
      prev_uuid: `${task}-${index}`,
      payload: { content },
    }),
  )
  return Buffer.concat([header, ...rest])
}

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('\u2028\u007f é 漢', '\ud800', '```'),
)

test('any history, exported and imported, is an equal session: bytes, projection, children', async () => {
  await fc.assert(
    fc.asyncProperty(randomSteps(25), fc.array(fc.array(text)), async (steps, children) => {
      const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-'))
      try {
        const [root, other] = [join(folder, 'a'), join(folder, 'b')]
        for (const name of ['.transcripts', '.sidechains']) {
          mkdirSync(join(root, name), { recursive: true, mode: 0o700 })
        }
        mkdirSync(join(other, '.sidechains'), { recursive: true, mode: 0o700 })
        const history = randomHistory(steps)
        writeFileSync(
          layoutOf({ root }, systemEnvironment.host).transcriptPath('log'),
          history.bytes,
        )
        for (const [index, texts] of children.entries()) {
          writeFileSync(
            layoutOf({ root }, systemEnvironment.host).sidechainPath(`task-${index}`),
            child(`task-${index}`, texts),
          )
        }
        const path = await exportFile(root, 'log')
        const imported = await importExported(path, { root: other })
        expect(imported).toMatchObject({ sessionId: 'log', duplicate: false })
        expect(seenIn(other, 'log')).toEqual(seenIn(root, 'log'))
        if (history.events.length === history.lines.length) {
          expect(filesIn(other)).toEqual(filesIn(root))
        }
        expect(
          listSidechains(openContext({ root: other }), { session: 'log' }).sidechains,
        ).toHaveLength(children.length)
        expect(await importExported(path, { root: other })).toMatchObject({ duplicate: true })
      } finally {
        rmSync(folder, { recursive: true })
      }
    }),
    { numRuns: 30 },
  )
})

async function talk(root: string) {
  const session = await createSession({ root, id: 'demo', project: root })
  await session.prompt('run the tests with password=hunter2hunter2')
  const subagent = await session.spawn({ taskId: 'tests', prompt: 'Run them.' })
  await subagent.append({ type: 'assistant', payload: { content: 'All pass.' } })
  await subagent.finish({ status: 'completed', summary: 'All pass.' })
  await session.append({ type: 'assistant', payload: { content: 'Done.\u2028' } })
  await session.close()
}

test('a session with a subagent is imported byte for byte, and only once', async (t) => {
  const [root, other] = [temporaryFolder(t), temporaryFolder(t)]
  await talk(root)
  const path = await exportFile(root, 'demo')
  const first = await importExported(path, { root: other })
  expect(first).toMatchObject({ sessionId: 'demo', sidechains: 1, damaged: 0, duplicate: false })
  expect(filesIn(other)).toEqual(filesIn(root))
  expect(await importExported(path, { root: other })).toEqual({ ...first, duplicate: true })
  expect(filesIn(other)).toEqual(filesIn(root))
})

// Requirement: 003-47
test('exports of the same session are equal, and hold a secret only if not redacted', async (t) => {
  const root = temporaryFolder(t)
  await talk(root)
  const plain = await exported(root, 'demo')
  expect(await exported(root, 'demo')).toBe(plain)
  expect(plain).toContain('hunter2hunter2')
  for (const format of ['jsonl', 'markdown', 'text']) {
    for (const projected of [false, true]) {
      const redacted = await exported(root, 'demo', { redact: true, format, projected })
      expect(redacted).not.toContain('hunter2hunter2')
      expect(redacted).toContain('[REDACTED]')
    }
  }
})

test('a redacted export can be imported: the same chain with new checksums', async (t) => {
  const [root, other] = [temporaryFolder(t), temporaryFolder(t)]
  await talk(root)
  await importExported(await exportFile(root, 'demo', { redact: true }), { root: other })
  const { findings } = await verifyLog(
    layoutOf({ root: other }, systemEnvironment.host).transcriptPath('demo'),
  )
  expect(findings).toEqual([])
  const chainOf = (at: string) =>
    readFileSync(layoutOf({ root: at }, systemEnvironment.host).transcriptPath('demo'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row))
      .map(({ type, uuid, prev_uuid, ts }) => [type, uuid, prev_uuid, ts])
  expect(chainOf(other)).toEqual(chainOf(root))
})

test('another session with that id is rejected without a trace, and imported with a new id', async (t) => {
  const [root, other] = [temporaryFolder(t), temporaryFolder(t)]
  await talk(root)
  const stranger = await createSession({ root: other, id: 'demo' })
  await stranger.prompt('mine')
  await stranger.close()
  mkdirSync(join(other, '.sidechains'), { recursive: true, mode: 0o700 })
  const before = filesIn(other)
  const path = await exportFile(root, 'demo')
  await expect(importExported(path, { root: other })).rejects.toMatchObject({ code: 'ERR_EXISTS' })
  expect(filesIn(other)).toEqual(before)
  const imported = await importExported(path, { root: other, newId: 'copy' })
  expect(imported).toMatchObject({ sessionId: 'copy', duplicate: false })
  expect(seenIn(other, 'copy')).toEqual(seenIn(root, 'demo'))
  expect(await verifyLog(imported.transcriptPath)).toMatchObject({ findings: [] })
  const { sidechains } = listSidechains(openContext({ root: other }), { session: 'copy' })
  expect(sidechains).toMatchObject([{ taskId: 'tests', status: 'completed' }])
  await expect(importExported(path, { root: other, newId: 'copy' })).rejects.toMatchObject({
    code: 'ERR_EXISTS',
  })
})

test('a session continued since its export is a duplicate', async (t) => {
  const root = temporaryFolder(t)
  const session = await createSession({ root, id: 'demo' })
  await session.prompt('one')
  const path = await exportFile(root, 'demo')
  await session.prompt('two')
  await session.close()
  mkdirSync(join(root, '.sidechains'), { recursive: true, mode: 0o700 })
  const before = filesIn(root)
  expect(await importExported(path, { root })).toMatchObject({ duplicate: true })
  expect(filesIn(root)).toEqual(before)
})

test('rejects what is not an export, is cut off, edited or a projection, and writes nothing', async (t) => {
  const [root, other] = [temporaryFolder(t), temporaryFolder(t)]
  await talk(root)
  const whole = await exported(root, 'demo')
  const rows = whole.trimEnd().split('\n')
  const broken: [string, string][] = [
    ['ERR_DAMAGED', `${rows.slice(0, -1).join('\n')}\n`],
    ['ERR_DAMAGED', `${rows.toSpliced(4, 1).join('\n')}\n`],
    ['ERR_DAMAGED', whole.replace('Done.', 'Gone.')],
    ['ERR_DAMAGED', whole + whole],
    ['ERR_ARG', `${rows.slice(2).join('\n')}\n`],
    ['ERR_ARG', await exported(root, 'demo', { projected: true })],
    ['ERR_FORMAT_TOO_NEW', whole.replace('"export":1', '"export":3')],
  ]
  for (const [code, content] of broken) {
    const path = join(root, 'broken.jsonl')
    writeFileSync(path, content)
    await expect(importExported(path, { root: other })).rejects.toMatchObject({ code })
  }
  for (const folder of readdirSync(other)) expect(readdirSync(join(other, folder))).toEqual([])
})

test('an export up to an event holds only subagents spawned before it', async (t) => {
  const root = temporaryFolder(t)
  await talk(root)
  const rows = (await exported(root, 'demo'))
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row))
  const { uuid } = rows.find(({ type }) => type === 'user')
  const early = await exported(root, 'demo', { at: uuid })
  expect(early).not.toContain('sidechain_header')
  expect(early).toContain(uuid)
  const all = await exported(root, 'demo', { children: false })
  expect(all).not.toContain('sidechain_header')
  await expect(exported(root, 'demo', { at: 'nowhere' })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
})
