// Checks a log in each state that a crash may leave: the reader does not throw, acknowledged events
// are there as they were written, and nothing is returned that was not written.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  appendOnce,
  type Durability,
  openLog,
  type Receipt,
  readLogSync,
  withLockedLog,
} from '../../lib/log/index.js'
import { Random } from '../helpers/random.js'
import { type CrashState, crashStates } from './crash-states.js'
import { type Acknowledge, type Step, traceOf } from './trace.js'

export interface CrashFinding {
  readonly state: string
  readonly problems: readonly string[]
}

export interface CrashResult {
  states: number
  /** How often an event that was owed was looked for. */
  owed: number
  findings: CrashFinding[]
}

const DURABILITIES: readonly Durability[] = ['none', 'turn', 'always']
const TYPES = ['user', 'assistant', 'turn_end'] as const
// After some states the next writer comes, and finds its way.
const APPENDS_EVERY = 97

/** A small log written by chance, and all the states in which a crash may leave it. */
export async function tryCrashes(folder: string, seed: number): Promise<CrashResult> {
  const random = new Random(seed)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${seed}.jsonl`)
  const steps = await traceOf(path, folder, (acknowledge) => write(path, random, acknowledge))
  return checkStates(join(folder, 'crashed.jsonl'), steps, random)
}

async function write(path: string, random: Random, acknowledge: Acknowledge): Promise<void> {
  const durability = random.pick(DURABILITIES)
  const log = await openLog(path, { durability })
  const calls = random.between(2, 5)
  let last: Receipt | undefined
  for (let call = 0; call < calls; call++) {
    const events = Array.from({ length: random.between(1, 3) }, () => {
      const content = 'é x'.repeat(random.below(20))
      return { type: random.pick(TYPES), payload: { content } }
    })
    const isSyncPoint = durability === 'turn' && events.some(({ type }) => type !== 'assistant')
    const isOwed = durability === 'always' || isSyncPoint
    const receipts = await log.appendAll(events)
    for (const receipt of receipts) acknowledge(receipt, isOwed)
    last = receipts.at(-1)
  }
  await log.close()
  // close() acknowledges that everything is on the disk, except with `none`.
  acknowledge(last!, durability !== 'none')
}

export interface Lines {
  /** They have no envelope, as in a history. */
  readonly bare?: boolean
}

export async function checkStates(
  path: string,
  steps: readonly Step[],
  random: Random,
  { bare = false }: Lines = {},
): Promise<CrashResult> {
  const written = eventsOf(
    Buffer.concat(steps.flatMap((step) => ('bytes' in step ? [step.bytes] : []))),
  )
  const result: CrashResult = { states: 0, owed: 0, findings: [] }
  for (const state of crashStates(steps, random)) {
    result.states++
    result.owed += state.owed.length
    writeFileSync(path, state.bytes)
    const problems = problemsOfState(path, state, written, bare)
    if (result.states % APPENDS_EVERY === 0) {
      problems.push(...(await problemsOfNext(path, state, bare)))
    }
    if (problems.length === 0) continue
    result.findings.push({ state: `${state.death} ${result.states}`, problems })
    if (result.findings.length === 5) break
  }
  return result
}

function problemsOfState(
  path: string,
  { owed }: CrashState,
  written: ReadonlyMap<string, string>,
  bare: boolean,
): string[] {
  const found = new Set<string>()
  const problems: string[] = []
  try {
    for (const entry of readLogSync(path, { bare })) {
      if (entry.kind !== 'event') continue
      const { event } = entry
      const uuid = uuidOf(event)
      if (found.has(uuid)) problems.push(`repeated ${uuid}`)
      found.add(uuid)
      const isAltered = !entry.unverified && written.get(uuid) !== JSON.stringify(event)
      if (isAltered) problems.push(`altered ${JSON.stringify(event)}`)
    }
  } catch (error) {
    problems.push(`thrown ${error}`)
  }
  for (const uuid of owed) if (!found.has(uuid)) problems.push(`lost ${uuid}`)
  return problems
}

/** The next writer: its line is after the rest, and the old bytes stay. */
async function problemsOfNext(
  path: string,
  { bytes, owed }: CrashState,
  bare: boolean,
): Promise<string[]> {
  const next = await (bare ? appendBare : appendEvent)(path)
  const after = readFileSync(path)
  const problems = after.subarray(0, bytes.length).equals(bytes) ? [] : ['old bytes changed']
  const found = eventsOf(after)
  const lost = [...owed, next].filter((uuid) => !found.has(uuid))
  return [...problems, ...lost.map((uuid) => `lost after the next append ${uuid}`)]
}

async function appendEvent(path: string): Promise<string> {
  const event = { type: 'user', payload: { content: 'next' } } as const
  const [receipt] = await appendOnce(path, [event], { durability: 'none' })
  return receipt!.uuid
}

async function appendBare(path: string): Promise<string> {
  const line = { event_uuid: 'next' }
  await withLockedLog(path, { durability: 'none' }, (log) => log.append(line))
  return line.event_uuid
}

/** A line of the history has that of the event that says the same. */
function uuidOf(event: { uuid?: string; event_uuid?: string }): string {
  return event.uuid ?? event.event_uuid ?? ''
}

/** By uuid, as text. Reads the bytes line by line, not with our reader; broken lines do not count. */
function eventsOf(bytes: Buffer): ReadonlyMap<string, string> {
  const events = new Map<string, string>()
  for (const line of bytes.toString('utf8').replaceAll('\0', '').split('\n')) {
    try {
      const event = JSON.parse(line)
      events.set(uuidOf(event), JSON.stringify(event))
    } catch {
      // Torn.
    }
  }
  return events
}
