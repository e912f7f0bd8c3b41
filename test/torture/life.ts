// One small life of a session: it begins, is written, compacted, checkpointed, ended and resumed.
// Each step is tried, whatever became of the one before.

import { isSessionError, SessionError } from '../../lib/errors.js'
import {
  appendTranscript,
  createSession,
  forkSession,
  resumeSession,
  searchSessions,
} from '../../lib/free-functions.js'
import type { Session } from '../../lib/session/index.js'
import {
  claimSession,
  listCheckpoints,
  listSessions,
  openContext,
  pruneCheckpoints,
  read_history,
  rotateHistory,
} from '../../lib/store/index.js'
import type { Ack } from './check.js'

const ID = 'life'
const PROJECT = '/tmp/project-of-a-life'

export interface Life {
  /** Events of the transcript that were acknowledged. */
  readonly acks: Ack[]
  /** Ids of checkpoints of which it was said that they are on the disk. */
  readonly checkpoints: string[]
  readonly errors: { readonly step: string; readonly text: string; readonly isTyped: boolean }[]
}

const optionsIn = (folder: string) =>
  ({ root: folder, home: folder, project: PROJECT, lockTimeoutMs: 500 }) as const

export async function live(folder: string): Promise<Life> {
  const life: Life = { acks: [], checkpoints: [], errors: [] }
  const attempt = attemptsOf(life)
  const options = optionsIn(folder)
  const session = await attempt('create', () => createSession({ ...options, id: ID }))
  if (session !== undefined) await liveThrough(session, life, attempt)
  const resumed = await attempt('resume', () =>
    resumeSession({ ...options, id: ID, mode: 'append' }),
  )
  const again = resumed?.session
  if (again === undefined) return life
  await attempt('append after it', async () => {
    life.acks.push(await again.append({ type: 'user', payload: { content: 'again' } }))
  })
  await attempt('release', () => again.release())
  return life
}

/** What is done around a session that was lived before, by commands and by hooks. */
export async function keepHouse(folder: string, before: Life): Promise<Life> {
  const life: Life = { ...before, acks: [...before.acks], errors: [] }
  const attempt = attemptsOf(life)
  const options = optionsIn(folder)
  await attempt('fork', async () => forkSession(ID, { root: folder, newId: 'forked' }))
  await attempt('hook', async () => {
    const event = { type: 'user', payload: { content: 'from a hook' } } as const
    life.acks.push(await appendTranscript({ session_id: ID, event }, options))
  })
  await attempt('hook of a new session', async () => {
    const event = { type: 'user', payload: { content: 'first words' } } as const
    await appendTranscript({ session_id: 'hooked', event }, options)
  })
  await attempt('claim', () =>
    claimSession(openContext(options), ID, { ...options, runtimePath: 'plugin' }),
  )
  await attempt('rotate', () => rotateHistory(openContext(options)))
  await attempt('history', () => read_history({ home: folder, limit: 5 }))
  await attempt('list', async () => listSessions(openContext({ root: folder })))
  await attempt('search', () => searchSessions({ query: 'one', root: folder }))
  await attempt('prune', async () => {
    await pruneCheckpoints(openContext({ root: folder, lockTimeoutMs: 500 }), {
      apply: true,
      force: true,
    })
  })
  await attempt('inspect', () => resumeSession({ ...options, id: ID, mode: 'inspect' }))
  await attempt('resume', async () => {
    const { session } = await resumeSession({ ...options, id: ID, newId: 'next' })
    await session!.close()
  })
  return life
}

function attemptsOf(life: Life): Attempt {
  return async (step, run) => {
    try {
      return await run()
    } catch (error) {
      life.errors.push({ step, text: textOf(error), isTyped: isSessionError(error) })
      return undefined
    }
  }
}

/** For an unexpected error also its stack. */
function textOf(error: unknown): string {
  return isSessionError(error) ? error.message : String((error as Error).stack ?? error)
}

type Attempt = <Result>(step: string, run: () => Promise<Result>) => Promise<Result | undefined>

async function liveThrough(session: Session, life: Life, attempt: Attempt): Promise<void> {
  for (const content of ['one', 'two']) {
    await attempt('prompt', async () => life.acks.push(await session.prompt(content)))
    await attempt('append', async () => {
      life.acks.push(await session.append({ type: 'assistant', payload: { content } }))
    })
  }
  await attempt('compact', async () => {
    const keepFrom = session.messages().messages.at(-1)?.uuid
    const { boundaryUuid, summaryUuid } = await session.compact({ summary: 'So far.', keepFrom })
    life.acks.push({ uuid: summaryUuid }, { uuid: boundaryUuid })
  })
  await attempt('checkpoint', async () => {
    life.checkpoints.push((await session.checkpoint({ digest: '## Session Checkpoint' })).id)
  })
  await attempt('rewind', async () => {
    const to = session.messages().messages[0]?.uuid
    if (to !== undefined) life.acks.push(await session.rewind({ to }))
  })
  await attempt('append', async () => {
    life.acks.push(await session.append({ type: 'user', payload: { content: 'other way' } }))
  })
  await attempt('close', async () => {
    const { terminator_uuid } = await session.close()
    life.acks.push({ uuid: terminator_uuid! })
  })
}

/** On a disk that is well again: the session is resumed, or begun where it never was. */
export async function goOn(folder: string) {
  const options = optionsIn(folder)
  const session = await resumeOrCreate(options)
  const ack = await session.append({ type: 'user', payload: { content: 'on a good disk' } })
  await session.close()
  const { checkpoints } = listCheckpoints(openContext({ root: folder, home: folder }), {
    project: PROJECT,
    limit: 50,
  })
  return {
    path: session.path,
    ack,
    checkpoints: checkpoints.map(({ checkpoint }) => checkpoint.id),
  }
}

async function resumeOrCreate(options: ReturnType<typeof optionsIn>): Promise<Session> {
  try {
    return (await resumeSession({ ...options, id: ID, mode: 'append' })).session!
  } catch (error) {
    if (!(error instanceof SessionError) || error.code !== 'ERR_NOT_FOUND') throw error
    return createSession({ ...options, id: ID })
  }
}
