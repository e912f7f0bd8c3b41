// Sessions against a model of a few arrays: commands by chance, and after each of them the session
// shows what the model shows, and every file has only grown.

import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { isSessionError, type SessionErrorCode } from '../../lib/errors.js'
import { createSession, forkSession, resumeSession } from '../../lib/free-functions.js'
import { appendOnce, openLog, readLogSync } from '../../lib/log/index.js'
import type { Session } from '../../lib/session/index.js'
import { listCheckpoints, openContext } from '../../lib/store/index.js'
import { AppendOnlyWitness } from './check.js'

const PROJECT = '/tmp/project-of-a-model'
const HALF = '{"type":"user","ts":"2026-01-01T00:00:00.000Z","uuid":"half","prev_uuid":nu'

/** What one session should show and hold. */
interface Model {
  /** Messages the model sees, by uuid. */
  view: readonly string[]
  /** The view that the present file began with. */
  start: readonly string[]
  /** The view right after each message. */
  viewAfter: Map<string, readonly string[]>
  /** Events of the present file that were acknowledged, in their order. */
  acks: string[]
  checkpoints: string[]
  /** For names that were not used before. */
  counter: { next: number }
}

class Real {
  readonly folder: string
  session: Session
  #witness: AppendOnlyWitness

  constructor(folder: string, session: Session) {
    this.folder = folder
    this.session = session
    this.#witness = new AppendOnlyWitness(session.path)
  }

  get options() {
    return { root: this.folder, home: this.folder, project: PROJECT, lockTimeoutMs: 1000 } as const
  }

  goOnWith(session: Session): void {
    this.check()
    const isSameFile = session.path === this.session.path
    this.session = session
    if (!isSameFile) this.#witness = new AppendOnlyWitness(session.path)
  }

  async reopen(): Promise<void> {
    const { session } = await resumeSession({
      ...this.options,
      id: this.session.id,
      mode: 'append',
    })
    this.goOnWith(session!)
  }

  check(): void {
    this.#witness.look()
    const changes = this.#witness.changes()
    if (changes.length > 0) throw new Error(`Old bytes changed: ${JSON.stringify(changes)}`)
  }
}

abstract class Command implements fc.AsyncCommand<Model, Real> {
  /** Chooses among what is there at that time. */
  readonly choice: number

  constructor(choice: number) {
    this.choice = choice
  }

  check(_: Readonly<Model>): boolean {
    return true
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real)
    real.check()
    expectSame(this.toString(), visible(real.session), model.view)
  }

  toString(): string {
    return `${this.constructor.name}(${this.choice})`
  }

  protected abstract act(model: Model, real: Real): Promise<void>
}

class Append extends Command {
  protected override async act(model: Model, { session }: Real): Promise<void> {
    const event = eventOf(model.counter.next++)
    const { uuid } = await session.append(event)
    take(model, uuid, [...model.view, uuid])
  }
}

class AppendSeveral extends Command {
  protected override async act(model: Model, { session }: Real): Promise<void> {
    const events = [0, 1, 2].map(() => eventOf(model.counter.next++))
    for (const { uuid } of await session.appendAll(events)) {
      take(model, uuid, [...model.view, uuid])
    }
  }
}

/** A caller without an answer tries again with the same uuid. */
class Retry extends Command {
  override check({ acks }: Readonly<Model>): boolean {
    return acks.some(isOurs)
  }

  protected override async act({ acks }: Model, { session }: Real): Promise<void> {
    const { size } = session
    const uuid = pick(acks.filter(isOurs), this.choice)
    const receipt = await session.append(eventOf(numberOf(uuid)))
    expectSame('duplicate', receipt.duplicate, true)
    const other = { ...eventOf(numberOf(uuid)), payload: { content: 'another' } }
    await expectRefusal('ERR_UUID_CONFLICT', () => session.append(other))
    expectSame('size', session.size, size)
  }
}

class Compact extends Command {
  override check({ view }: Readonly<Model>): boolean {
    return view.length >= 3
  }

  protected override async act(model: Model, { session }: Real): Promise<void> {
    const at = 1 + (this.choice % (model.view.length - 1))
    const keepFrom = model.view[at]!
    const { summaryUuid } = await session.compact({ summary: 'So far.', keepFrom })
    take(model, summaryUuid, [summaryUuid, ...model.view.slice(at)])
  }
}

class Checkpoint extends Command {
  protected override async act({ checkpoints }: Model, real: Real): Promise<void> {
    const { id } = await real.session.checkpoint({ digest: `Checkpoint ${checkpoints.length}` })
    checkpoints.push(id)
    const { root, home, project } = real.options
    const found = listCheckpoints(openContext({ root, home }), { project, limit: 50 }).checkpoints
    const ids = new Set(found.map(({ checkpoint }) => checkpoint.id))
    expectSame(
      'lost checkpoints',
      checkpoints.filter((known) => !ids.has(known)),
      [],
    )
  }
}

class Rewind extends Command {
  override check({ view }: Readonly<Model>): boolean {
    return view.filter(isOurs).length >= 2
  }

  protected override async act(model: Model, { session }: Real): Promise<void> {
    const to = pick(model.view.filter(isOurs), this.choice)
    const seenThen = model.viewAfter.get(to)!
    const { start } = model
    // An ancestor's message that was compacted before this session began can only be forked.
    const isOwn = model.acks.includes(to)
    const inherited = start.slice(0, start.indexOf(to) + 1)
    if (!isOwn && JSON.stringify(inherited) !== JSON.stringify(seenThen)) {
      return expectRefusal('ERR_ARG', () => session.rewind({ to }))
    }
    const { uuid } = await session.rewind({ to })
    model.acks.push(uuid)
    model.view = seenThen
  }
}

class Reopen extends Command {
  protected override async act(_: Model, real: Real): Promise<void> {
    if (this.choice % 2 === 0) await real.session.release()
    else await real.session.close()
    await real.reopen()
  }
}

/** A process died in the middle of a line. */
class Tear extends Command {
  protected override async act(_: Model, real: Real): Promise<void> {
    await real.session.release()
    appendFileSync(real.session.path, HALF.slice(0, 1 + (this.choice % HALF.length)))
    await real.reopen()
  }
}

class Resume extends Command {
  protected override async act(model: Model, real: Real): Promise<void> {
    const before = real.session
    await before.close()
    const { session } = await resumeSession({ ...real.options, id: before.id })
    expectAcks(before, model)
    model.acks = []
    model.start = model.view
    real.goOnWith(session!)
  }
}

class Fork extends Command {
  override check({ acks }: Readonly<Model>): boolean {
    return acks.some(isOurs)
  }

  protected override async act(model: Model, real: Real): Promise<void> {
    const before = real.session
    await before.release()
    expectAcks(before, model)
    const at = pick(model.acks.filter(isOurs), this.choice)
    const { sessionId } = forkSession(before.id, { root: real.folder, at })
    const { session } = await resumeSession({ ...real.options, id: sessionId, mode: 'append' })
    model.acks = model.acks.slice(0, model.acks.indexOf(at) + 1)
    model.view = model.viewAfter.get(at)!
    real.goOnWith(session!)
  }
}

/** A second handle fails with ERR_LOCKED and changes nothing. */
class SecondHandle extends Command {
  protected override async act(_: Model, { session }: Real): Promise<void> {
    const { size } = session
    const impatient = { lockTimeoutMs: 5 }
    const event = eventOf(0)
    await expectRefusal('ERR_LOCKED', () => openLog(session.path, impatient))
    await expectRefusal('ERR_LOCKED', () => appendOnce(session.path, [event], impatient))
    expectSame('size', session.size, size)
  }
}

const COMMANDS = [
  Append,
  Append,
  AppendSeveral,
  Retry,
  Compact,
  Checkpoint,
  Rewind,
  Reopen,
  Tear,
  Resume,
  Fork,
  SecondHandle,
]

/** Runs so many lists of commands, each in a folder of its own; throws with the shortest that fails. */
export async function runModel(
  newFolder: () => string,
  options: { seed: number; runs: number; commandsMax: number },
): Promise<number> {
  let commands = 0
  const kinds = COMMANDS.map((Kind) => fc.nat().map((choice) => new Kind(choice)))
  const lists = fc.commands(kinds, { maxCommands: options.commandsMax, size: 'max' })
  const property = fc.asyncProperty(lists, async (list) => {
    const folder = newFolder()
    const session = await createSession({ root: folder, home: folder, project: PROJECT })
    const real = new Real(folder, session)
    const model: Model = {
      view: [],
      start: [],
      viewAfter: new Map(),
      acks: [],
      checkpoints: [],
      counter: { next: 1 },
    }
    try {
      await fc.asyncModelRun(() => ({ model, real }), list)
      expectAcks(real.session, model)
    } finally {
      await real.session.close().catch(() => {})
    }
    commands += [...list].length
  })
  await fc.assert(property, { seed: options.seed, numRuns: options.runs })
  return commands
}

function take(model: Model, uuid: string, view: readonly string[]): void {
  model.acks.push(uuid)
  model.view = view
  model.viewAfter.set(uuid, view)
}

/** Each of them once, in the order in which they were acknowledged. */
function expectAcks({ path }: Session, { acks }: Model): void {
  const known = new Set(acks)
  const found = [...readLogSync(path)].flatMap((entry) =>
    entry.kind === 'event' && known.has(entry.event.uuid) ? [entry.event.uuid] : [],
  )
  expectSame('acknowledged events', found, acks)
}

function visible(session: Session): string[] {
  return session.messages().messages.map(({ uuid }) => uuid)
}

function eventOf(number: number) {
  const type = number % 2 === 1 ? ('user' as const) : ('assistant' as const)
  return { type, uuid: `m${number}`, payload: { content: `message ${number}` } }
}

function isOurs(uuid: string): boolean {
  return /^m\d+$/.test(uuid)
}

function numberOf(uuid: string): number {
  return Number(uuid.slice(1))
}

function pick(items: readonly string[], choice: number): string {
  return items[choice % items.length]!
}

async function expectRefusal(code: SessionErrorCode, run: () => Promise<unknown>): Promise<void> {
  const error = await run().then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!isSessionError(error, code)) throw new Error(`Expected ${code}, got ${error}`)
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value))
  if (one !== other) throw new Error(`${what}: found ${one}, expected ${other}`)
}
