// The ways by which something comes into a store, each with what is owed for it after a power cut:
// that follows from the durability that was asked for, and not from what was synced.

import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { systemEnvironment } from '../../lib/environment/index.js'
import { appendTranscript, createSession } from '../../lib/free-functions.js'
import { appendOnce, openLog } from '../../lib/log/index.js'

import { shardPathOf } from '../../lib/store/checkpoints/read-shard.js'
import {
  append_history,
  appendCheckpoint,
  layoutOf,
  normalizeProject,
  openContext,
} from '../../lib/store/index.js'
import { Random } from '../helpers/random.js'
import { type CrashResult, checkStates } from './crash-check.js'
import { type AcknowledgeIn, tracesOf } from './trace.js'

export interface CrashWay {
  readonly name: string
  /** Done before anybody looks; it is on the disk. */
  prepare?(folder: string): Promise<unknown>
  write(folder: string, acknowledge: AcknowledgeIn): Promise<void>
}

const SAID = { type: 'user', payload: { content: 'é?' } } as const
const ANSWERED = { type: 'assistant', payload: { content: 'yes' } } as const
// Under each durability an event that is worth a sync, and one that is not.
const ASKED = [
  { durability: 'none', event: SAID, isOwed: false },
  { durability: 'turn', event: SAID, isOwed: true },
  { durability: 'turn', event: ANSWERED, isOwed: false },
  { durability: 'always', event: ANSWERED, isOwed: true },
] as const

const inFolder = (folder: string) => ({ root: folder, home: folder, lockTimeoutMs: 500 }) as const
const logIn = (folder: string) => join(folder, 'log.jsonl')
const writeFirst = (folder: string) => appendOnce(logIn(folder), [SAID])

const ONE_SHOTS: readonly CrashWay[] = ASKED.flatMap(({ durability, event, isOwed }) => {
  const name = `of one ${event.type} event under ${durability}`
  const write: CrashWay['write'] = async (folder, acknowledge) => {
    const [receipt] = await appendOnce(logIn(folder), [event], { durability })
    acknowledge(logIn(folder), receipt!, isOwed)
  }
  return [
    { name: `${name}, into a new log`, write },
    { name: `${name}, into a log that is there`, prepare: writeFirst, write },
  ]
})

const TRANSCRIPTS: readonly CrashWay[] = ['one', 'other'].map((session_id) => ({
  name: `of a hook, into ${session_id === 'one' ? 'a session that is there' : 'a new session'}`,
  prepare: (folder) => appendTranscript({ session_id: 'one', event: SAID }, inFolder(folder)),
  async write(folder, acknowledge) {
    const place = inFolder(folder)
    const receipt = await appendTranscript({ session_id, event: SAID }, place)
    acknowledge(layoutOf(place, systemEnvironment.host).transcriptPath(session_id), receipt, true)
  },
}))

const HISTORIES: readonly CrashWay[] = (['none', 'turn', 'always'] as const).map((durability) => ({
  name: `of lines of the history under ${durability}`,
  async write(folder, acknowledge) {
    for (const event_uuid of ['first', 'second']) {
      const options = { ...inFolder(folder), durability, event_uuid }
      const receipt = await append_history('é?', 'one', options)
      acknowledge(receipt!.file, { uuid: event_uuid }, durability !== 'none')
    }
  },
}))

// The history of a session is synced only under `always`: the transcript has the prompt already.
const SESSIONS: readonly CrashWay[] = (['turn', 'always'] as const).flatMap((durability) =>
  (['close', 'closeSync'] as const).map((close) => ({
    name: `of a session under ${durability} that prompts and ends by ${close}`,
    async write(folder, acknowledge) {
      const place = inFolder(folder)
      const options = { ...place, durability, id: 'one', continuity: false } as const
      const session = await createSession(options)
      const prompted = await session.prompt('é?')
      acknowledge(session.path, prompted, true)
      acknowledge(
        layoutOf(place, systemEnvironment.host).historyPath,
        prompted,
        durability === 'always',
      )
      const answered = await session.append(ANSWERED)
      acknowledge(session.path, answered, durability === 'always')
      await session[close]()
      acknowledge(session.path, answered, true)
    },
  })),
)

const CHECKPOINT = { session_key: 'one', trigger: 'explicit', harness: 'test' } as const

const CHECKPOINTS: readonly CrashWay[] = [
  {
    name: 'of checkpoints, into a new shard and behind another',
    async write(folder, acknowledge) {
      for (const digest of ['## é', '## more']) {
        const checkpoint = { ...CHECKPOINT, digest, prompt_count: 1 }
        const { path, id } = await appendCheckpoint(openContext(inFolder(folder)), checkpoint)
        acknowledge(path, { uuid: id }, true)
      }
    },
  },
  {
    name: 'of a checkpoint of a session that syncs nothing else',
    async write(folder, acknowledge) {
      const options = { ...inFolder(folder), durability: 'none', project: '/tmp/p' } as const
      const session = await createSession({ ...options, id: 'one' })
      await session.prompt('é?')
      const { id } = await session.checkpoint({ digest: '## é' })
      const store = openContext(options)
      const shard = shardPathOf(store, normalizeProject(store, options.project))
      acknowledge(shard, { uuid: id }, true)
      await session.release()
    },
  },
]

// Not awaited: what a log still holds is written when the process ends.
const ENDINGS: readonly CrashWay[] = ASKED.flatMap(({ durability, event, isOwed }) => [
  {
    name: `of one ${event.type} event under ${durability} that is held when the process exits`,
    async write(folder, acknowledge) {
      const log = await openLog(logIn(folder), { durability })
      const written = log.append({ ...event, uuid: 'held' })
      // The first listener is that of the logs; the others are not ours to call.
      process.listeners('exit')[0]!(0)
      acknowledge(logIn(folder), { uuid: 'held' }, isOwed)
      await written
      await log.close()
    },
  },
  ...(['close', 'closeSync'] as const).map((close) => ({
    name: `of one ${event.type} event under ${durability} to a log that ends by ${close}`,
    async write(folder: string, acknowledge: AcknowledgeIn) {
      const log = await openLog(logIn(folder), { durability })
      const receipt = close === 'close' ? await log.append(event) : log.appendSync(event)
      acknowledge(logIn(folder), receipt, isOwed)
      await log[close]()
      acknowledge(logIn(folder), receipt, durability !== 'none')
    },
  })),
])

export const CRASH_WAYS: readonly CrashWay[] = [
  ...ONE_SHOTS,
  ...TRANSCRIPTS,
  ...HISTORIES,
  ...SESSIONS,
  ...CHECKPOINTS,
  ...ENDINGS,
]

/** Runs one way, and checks all states in which a crash may leave each acknowledged file. */
export async function tryWay(given: string, { prepare, write }: CrashWay): Promise<CrashResult> {
  const folder = realpathSync.native(given)
  await prepare?.(folder)
  const traces = await tracesOf(folder, (acknowledge) => write(folder, acknowledge))
  const sum: CrashResult = { states: 0, owed: 0, findings: [] }
  for (const [path, steps] of traces) {
    if (!steps.some(({ kind }) => kind === 'ack')) continue
    const bare = path === layoutOf(inFolder(folder), systemEnvironment.host).historyPath
    const crashed = join(folder, 'crashed.jsonl')
    const { states, owed, findings } = await checkStates(crashed, steps, new Random(1), { bare })
    sum.states += states
    sum.owed += owed
    sum.findings.push(...findings)
  }
  return sum
}
