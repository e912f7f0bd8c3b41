// Stores with sessions in them, for commands to look at.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { createSession } from '../../lib/free-functions.js'
import type { Session } from '../../lib/session/index.js'
import { temporaryFolder } from '../helpers/temporary.js'

/** Type, uuid, and the payload or just what is said. */
export type Said = readonly [type: string, uuid: string, what: string | object]

export const CHAT: readonly Said[] = [
  ['user', 'u1', 'hello'],
  ['assistant', 'a1', 'Hi.'],
  ['user', 'u2', 'list the files'],
  ['tool_call', 'c1', { tool_call_id: 't1', name: 'Bash', input: { command: 'ls' } }],
  ['tool_result', 'r1', { tool_call_id: 't1', content: 'a.txt\nb.txt', is_error: false }],
  ['assistant', 'a2', 'Two files.'],
]

export interface Place {
  readonly root: string
  /** A project, and the folder to call from. */
  readonly cwd: string
}

export function newPlace(t: Pick<TestContext, 'onTestFinished'>): Place {
  return { root: temporaryFolder(t), cwd: realpathSync(temporaryFolder(t)) }
}

export interface StoredOptions {
  readonly project?: string
  readonly said?: readonly Said[]
  readonly kind?: 'headless' | 'subagent'
  /** Seconds after the beginning of 2026 for its first event. */
  readonly second?: number
}

/** A session that is still open: its writer is this process. */
export async function openSession(
  { root, cwd }: Place,
  id: string,
  { project = cwd, said = CHAT, kind, second = 0 }: StoredOptions = {},
): Promise<Session> {
  let time = Date.UTC(2026, 0, 1) + second * 1000
  const environment = { now: () => time }
  const session = await createSession({ root, id, project, kind, environment })
  for (const [type, uuid, what] of said) {
    const payload = typeof what === 'string' ? { content: what } : { ...what }
    time += 1000
    await session.append({ type, uuid, payload })
  }
  return session
}

/** A session whose process has ended without a word. */
export async function storeSession(place: Place, id: string, options: StoredOptions = {}) {
  const session = await openSession(place, id, options)
  await session.release()
  return session.path
}

/** Every file of a store and what is in it. */
export function contentsOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}

export function eventsIn(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
