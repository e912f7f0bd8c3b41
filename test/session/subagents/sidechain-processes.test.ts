// What becomes of open subagents when their process ends: by a signal, by itself, or killed. And that
// a parent never opens the log of a child.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resumeSession } from '../../../lib/free-functions.js'
import { readLogSync } from '../../../lib/log/index.js'

import { listSidechains, openContext } from '../../../lib/store/index.js'
import { inSoak } from '../../helpers/effort.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Subprocess } from '../subprocess.js'

function typesIn(root: string, folder: string, name: string): string[] {
  const path = join(root, folder, `${name}.jsonl`)
  return [...readLogSync(path)].map((it) => (it.kind === 'event' ? it.event.type : it.kind))
}

const stateOf = (root: string) =>
  listSidechains(openContext({ root })).sidechains.map(
    ({ taskId, status, endReason }) => `${taskId} ${status} ${endReason}`,
  )

const isLocked = (root: string) =>
  ['k1', 'k2'].some((name) => existsSync(join(root, '.sidechains', `${name}.jsonl.lock`)))

// Requirements: 003-72, 003-82
test.for(inSoak ? (['SIGTERM', 'SIGINT', 'SIGHUP'] as const) : (['SIGINT'] as const))(
  'with handleSignals %s ends subagents before their parents, and kills the process',
  async (signal, t) => {
    const root = temporaryFolder(t)
    const host = new Subprocess(t, 'subagents', { root, handleSignals: true })
    await host.hears('ready')
    host.kill(signal)
    expect(await host.ended).toEqual({ code: null, signal })
    expect(stateOf(root)).toEqual(['k1 aborted signal', 'k2 aborted signal'])
    expect(typesIn(root, '.sidechains', 'k2')).toEqual([
      'sidechain_header',
      'user',
      'assistant',
      'sidechain_terminator',
    ])
    expect(typesIn(root, '.sidechains', 'k1').slice(-2)).toEqual([
      'subagent_result',
      'sidechain_terminator',
    ])
    expect(typesIn(root, '.transcripts', 's').slice(-2)).toEqual([
      'subagent_result',
      'session_terminator',
    ])
    expect(isLocked(root)).toBe(false)
  },
)

test('a subagent of another process is ended by a signal with handleSignals', async (t) => {
  const root = temporaryFolder(t)
  const host = new Subprocess(t, 'subagents', { root, handleSignals: true, isAlone: true })
  await host.hears('ready')
  host.kill('SIGTERM')
  expect(await host.ended).toEqual({ code: null, signal: 'SIGTERM' })
  expect(stateOf(root)).toEqual(['k1 aborted signal'])
  expect(isLocked(root)).toBe(false)
})

// Requirement: 003-72
test.for(['exit', 'throw'] as const)(
  'a process that ends by itself (%s) leaves no subagent without an ending',
  async (end, t) => {
    const root = temporaryFolder(t)
    const host = new Subprocess(t, 'subagents', { root, end })
    expect(await host.ended).toEqual({ code: end === 'exit' ? 0 : 1, signal: null })
    expect(stateOf(root)).toEqual(['k1 aborted exit', 'k2 aborted exit'])
    expect(typesIn(root, '.transcripts', 's')).toEqual([
      'session_header',
      'subagent_spawn',
      'subagent_result',
    ])
    expect(isLocked(root)).toBe(false)
  },
)

// Requirement: 003-67
test.for(inSoak ? (['SIGKILL', 'SIGTERM'] as const) : (['SIGKILL'] as const))(
  'a subagent whose process ended by %s is crashed, and its summary is lost',
  async (signal, t) => {
    const root = temporaryFolder(t)
    const host = new Subprocess(t, 'subagents', { root })
    await host.hears('ready')
    expect(stateOf(root)).toEqual(['k1 open null', 'k2 open null'])
    host.kill(signal)
    expect(await host.ended).toEqual({ code: null, signal })
    expect(stateOf(root)).toEqual(['k1 crashed null', 'k2 crashed null'])
    const { messages, session, degraded } = await resumeSession({ root, id: 's', mode: 'append' })
    expect({ messages, degraded }).toEqual({ messages: [], degraded: false })
    // What the dead process left blocks no other process.
    const next = await session!.spawn({ taskId: 'k3', prompt: 'Again.' })
    await next.finish({ status: 'completed', summary: 'Done.' })
    await session!.close()
  },
)

// Requirement: 003-61
test('the parent opens no log of a child, from its task to its end and after', async (t) => {
  const root = temporaryFolder(t)
  const parent = new Subprocess(t, 'opens', { root })
  const { opened, transcripts, audit } = await parent.hears('opened')
  expect(await parent.ended).toEqual({ code: 0, signal: null })
  expect(opened).toEqual([])
  // The probe is not blind: it saw the transcripts, and sees an audit.
  expect(transcripts).toBeGreaterThan(0)
  expect(audit).toBeGreaterThan(0)
  expect(stateOf(root)).toEqual(['remote completed null', 'here completed null'])
})
