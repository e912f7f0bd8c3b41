// Hooks as a harness calls them: in this process with a clock of the test's own, or through the
// built binary.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type HookAnswer, runHook } from '../../lib/hooks/index.js'
import { runCli } from '../cli/command-line.js'

export type Fields = Record<string, unknown>

export interface DayEvent {
  readonly at: string
  readonly input: Fields
}

export const DAY = fileURLToPath(new URL('../../fixtures/hooks/day.jsonl', import.meta.url))

export function readDay(): DayEvent[] {
  return rowsIn(DAY) as unknown as DayEvent[]
}

export interface TellOptions {
  readonly root: string
  readonly event?: string
  readonly client?: string
  readonly runtimePath?: string
  readonly agent?: string
  readonly env?: Record<string, string>
  readonly now?: () => number
  readonly newUuid?: () => string
  /** A harness that does not take what it is told. */
  readonly write?: (text: string) => Promise<void>
}

export interface Heard {
  readonly answer: HookAnswer
  /** What the harness reads. */
  readonly stdout: string
  readonly words: string
}

export function tell(fields: Fields, options: TellOptions): Promise<Heard> {
  return tellText(JSON.stringify(fields), options)
}

export async function tellText(text: string | Buffer, options: TellOptions): Promise<Heard> {
  const { root, agent, env = {}, now, newUuid } = options
  const stdin = new PassThrough()
  stdin.end(text)
  let stdout = ''
  const words: string[] = []
  const answer = await runHook({
    event: options.event,
    client: options.client,
    runtimePath: options.runtimePath,
    store: { root, home: root, agent },
    io: { stdin: stdin as unknown as NodeJS.ReadStream & { fd: 0 }, env, cwd: () => '/work' },
    write: async (written) => {
      await options.write?.(written)
      stdout += written
    },
    report: (word) => words.push(word),
    environment: { ...(now && { now }), ...(newUuid && { newUuid }) },
  })
  return { answer, stdout, words: words.join('\n') }
}

/** All events of a day, one after the other, with ids that count up. */
export async function replayInOrder(events: readonly DayEvent[], root: string): Promise<Heard[]> {
  let made = 0
  const newUuid = () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`
  const heard: Heard[] = []
  for (const { at, input } of events) {
    heard.push(await tell(input, { root, now: () => Date.parse(at), newUuid }))
  }
  return heard
}

export function hookCli(fields: Fields, root: string, args: readonly string[] = []) {
  return runCli(['hook', ...args], { root, input: JSON.stringify(fields) })
}

export interface StoredEvent {
  readonly type: string
  readonly uuid: string
  readonly prev_uuid: string | null
  readonly payload: Fields
}

export function eventsOf(root: string, session: string, folder = '.transcripts'): StoredEvent[] {
  return rowsIn(join(root, folder, `${session}.jsonl`)) as unknown as StoredEvent[]
}

export function rowsIn(path: string): Fields[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Fields)
}

/** The bytes of every file of a store by its name; claims tell of processes and are left out. */
export function bytesOf(
  root: string,
  leftOut: readonly string[] = ['.claims'],
): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  return new Map(
    names
      .filter((name) => name.endsWith('.jsonl') && !leftOut.some((it) => name.startsWith(it)))
      .map((name) => [name, readFileSync(join(root, name), 'latin1')]),
  )
}

// What depends on when it was told, and on what had been told by then.
const CIRCUMSTANCES = new Set([
  ...['at_ts', 'gap_ms', 'end_ts', 'start_ts', 'bytes', 'last_uuid', 'tool_call_id', 'cwd'],
  ...[
    'epoch',
    'offsets',
    'messages_summarized',
    'coveredFromUuid',
    'coveredToUuid',
    'checkpoint_id',
  ],
  ...['anchorUuid', 'summary_event_uuid', 'project', 'project_normalized', 'parent_uuid'],
])
const LINKING = ['subagent_spawn', 'subagent_result', 'sidechain_header']

/** What all logs of a store say, as a set: each event once, without the order it was told in. */
export function saidIn(root: string): string[] {
  const said = new Set<string>()
  for (const folder of ['.transcripts', '.sidechains']) {
    for (const name of readdirSync(join(root, folder)).filter((it) => it.endsWith('.jsonl'))) {
      for (const { type, payload } of rowsIn(
        join(root, folder, name),
      ) as unknown as StoredEvent[]) {
        if (type === 'recovery_injected') continue
        const isKept = (key: string) =>
          !CIRCUMSTANCES.has(key) || (key === 'tool_call_id' && !LINKING.includes(type))
        const kept = Object.entries(payload).filter(([key]) => isKept(key))
        said.add(`${folder}/${name} ${type} ${JSON.stringify(kept)}`)
      }
    }
  }
  return [...said].sort()
}
