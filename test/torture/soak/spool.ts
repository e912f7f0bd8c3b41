// A host holds a session and writes; other processes leave events for it, some under a uuid that has
// another content. Each acknowledged event is one line of the session, waits, or was set aside.

import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createSession } from '../../../lib/free-functions.js'
import { readLogSync } from '../../../lib/log/index.js'
import { openContext, readSpool } from '../../../lib/store/index.js'
import type { LaneContext } from './lane.js'

const QUEUE = fileURLToPath(new URL('../../store/children/queue.mjs', import.meta.url))
const PROCESSES = 3
const NOTES = 200
/** One note in so many repeats the uuid of another one with other content. */
const CONFLICT_EVERY = 50

interface Answer {
  readonly uuid: string
  readonly text: string
  readonly error?: string
}

export async function runSpool(context: LaneContext): Promise<void> {
  for (let round = 0; !context.isOver; round++) await runRound(context, round)
}

async function runRound(context: LaneContext, round: number): Promise<void> {
  const root = join(context.folder, String(round))
  const options = { root, home: root, id: 'demo', continuity: false } as const
  const session = await createSession({ ...options, durability: 'none' })
  const children = Array.from({ length: PROCESSES }, (_, index) => startQueue(root, `p${index}`))
  const running = Promise.all(children.map(({ answers }) => answers))
  let isOver = false
  const ended = running.finally(() => {
    isOver = true
  })
  try {
    while (!isOver) {
      await session.prompt('what the host says')
      await new Promise((resolve) => setTimeout(resolve, context.random.below(20)))
      // Killed in the middle of a write, perhaps; what it was answered before must be there.
      if (context.random.below(200) === 0) children[0]!.child.kill('SIGKILL')
    }
    const answers = (await ended).flat()
    await session.close()
    check(context, root, answers)
    context.done(answers.length, answers.length)
  } finally {
    for (const { child } of children) child.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
}

function startQueue(
  root: string,
  name: string,
): { child: ChildProcess; answers: Promise<Answer[]> } {
  const args = [QUEUE, root, 'demo', String(NOTES), name, String(CONFLICT_EVERY)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const answers: Answer[] = []
  // An answer that a killed process did not finish was not given.
  createInterface({ input: child.stdout }).on('line', (text) => {
    if (text.endsWith('}')) answers.push(JSON.parse(text))
  })
  return { child, answers: new Promise((resolve) => child.on('close', () => resolve(answers))) }
}

function check(context: LaneContext, root: string, answers: readonly Answer[]): void {
  const store = openContext({ root, home: root })
  const { layout } = store
  const counts = new Map<string, number>()
  const count = (uuid: string | undefined, payload: unknown) => {
    const key = `${uuid} ${(payload as { text?: unknown }).text}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  for (const entry of readLogSync(layout.transcriptPath('demo'))) {
    if (entry.kind !== 'event') context.harm('altered', `${entry.reason} at ${entry.byte_offset}`)
    else if (entry.event.type === 'remember') count(entry.event.uuid, entry.event.payload)
  }
  for (const { uuid, payload } of readSpool(store, 'demo')) count(uuid, payload)
  for (const { uuid, payload } of refusedEvents(layout.refused)) count(uuid, payload)
  for (const { uuid, text, error } of answers) {
    if (error !== undefined) context.harm('untyped', `${uuid}: ${error}`)
    const found = counts.get(`${uuid} ${text}`) ?? 0
    if (error === undefined && found === 0) context.harm('lost', `${uuid} ${text}`)
    if (found > 1) context.harm('altered', `${uuid} is there ${found} times`)
  }
}

function refusedEvents(folder: string): { uuid: string; payload: unknown }[] {
  let names: string[] = []
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  } catch {
    // Nothing was refused.
  }
  return names.flatMap((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line))
  })
}
