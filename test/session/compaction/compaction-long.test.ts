// A session that is compacted again and again: in one process, over restarts, at random. The log
// only grows, everything that was ever said is in it, and little is written besides.

import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Summarizer } from '../../../lib/compaction/index.js'
import { createSession, resumeSession, verifyLog } from '../../../lib/free-functions.js'
import { readLogSync } from '../../../lib/log/index.js'
import { createCompactor, type Session } from '../../../lib/session/index.js'
import { extractive } from '../../../lib/summarizers/index.js'
import { runs } from '../../helpers/effort.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const ROUNDS = 5
const MESSAGES = 60
const WORDS = 'the parser reads a line and splits it at every comma that is not quoted '

/** What was said, what the log held at its longest, and how it began. */
class Account {
  readonly said: string[] = []
  contentBytes = 0
  #size = 0
  #hash = ''

  async say(session: Session, type: 'user' | 'assistant', bytes: number): Promise<void> {
    const uuid = `e${this.said.length}`
    const payload = { content: WORDS.repeat(Math.ceil(bytes / WORDS.length)).slice(0, bytes) }
    this.said.push(uuid)
    this.contentBytes += JSON.stringify(payload).length
    await session.append({ type, uuid, payload })
  }

  /** The file is longer than ever, and what was there is there. */
  check(path: string): void {
    const bytes = readFileSync(path)
    expect(bytes.length).toBeGreaterThanOrEqual(this.#size)
    expect(hashOf(bytes.subarray(0, this.#size))).toBe(this.#hash || hashOf(Buffer.alloc(0)))
    this.#size = bytes.length
    this.#hash = hashOf(bytes)
  }
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const uuidsIn = (path: string) =>
  [...readLogSync(path)].flatMap((entry) => (entry.kind === 'event' ? entry.event.uuid : []))

// Requirements: 002-26, T14, T15
test.for(['one process', 'a restart after each', 'a new session after each'] as const)(
  'five compactions in %s leave every message, a file that only grew, and little besides',
  async (manner, t) => {
    const root = temporaryFolder(t)
    const paths = new Set<string>()
    const account = new Account()
    let session = await createSession({ root, id: 's' })
    for (let round = 1; round <= ROUNDS; round++) {
      paths.add(session.path)
      for (let index = 0; index < MESSAGES; index++) {
        await account.say(session, index % 2 === 0 ? 'user' : 'assistant', 2000)
      }
      const before = session.messages().messages.length
      const compactor = createCompactor(session, { summarizers: [extractive()] })
      const outcome = await compactor.compact()
      expect(outcome).toMatchObject({ strategy: 'primary', needsRetry: false })
      expect(session.messages().messages.length).toBeLessThan(before / 4)
      if (manner !== 'a new session after each') account.check(session.path)
      expect((await verifyLog(session.path)).findings).toEqual([])
      if (manner === 'one process') continue
      const seen = session.messages().messages
      await session.release()
      const mode = manner === 'a restart after each' ? 'append' : 'new'
      const next = await resumeSession({ root, id: session.id, mode })
      expect(next.messages).toEqual(seen)
      session = next.session!
    }
    await session.close()
    const written = [...paths].flatMap(uuidsIn)
    expect(account.said.filter((uuid) => !written.includes(uuid))).toEqual([])
    const bytes = [...paths].reduce((sum, path) => sum + statSync(path).size, 0)
    expect(bytes / account.contentBytes).toBeLessThan(1.2)
  },
)

type Act = 'say' | 'tool' | 'open' | 'compact' | 'fail' | 'retry' | 'restart' | 'resume' | 'rewind'

// Requirement: T15
test('in any order of operations the chain is valid and nothing is lost', async (t) => {
  const act = fc.constantFrom<Act>(
    'say',
    'say',
    'say',
    'tool',
    'tool',
    'open',
    'compact',
    'compact',
    'fail',
    'retry',
    'restart',
    'resume',
    'rewind',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), fc.nat({ max: 50 }), async (acts, keep) => {
      const story = new Story(await createSession({ root: temporaryFolder(t), id: 's' }), keep)
      for (const each of acts) await story.act(each)
      await story.end()
    }),
    { numRuns: runs(40) },
  )
})

const failing: Summarizer = async () => {
  throw new Error('down')
}

class Story {
  #session: Session
  readonly #keepPercent: number
  readonly #account = new Account()
  #calls = 0

  constructor(session: Session, keepPercent: number) {
    this.#session = session
    this.#keepPercent = keepPercent
  }

  async act(act: Act): Promise<void> {
    const before = this.#session.messages({ repair: false }).messages
    if (act === 'say') await this.#account.say(this.#session, 'user', 50)
    else if (act === 'tool' || act === 'open') await this.#call(act === 'tool')
    else if (act === 'compact') await this.#compact([extractive()])
    else if (act === 'fail') await this.#compact([failing])
    else if (act === 'retry') await this.#compactor([extractive()]).retrySummaries()
    else if (act === 'rewind') {
      const target = before[Math.floor(before.length / 2)]
      if (target !== undefined) await this.#session.rewind({ to: target.uuid })
    } else await this.#again(act === 'restart' ? 'append' : 'new')
    this.#account.check(this.#session.path)
  }

  async end(): Promise<void> {
    const { path } = this.#session
    const live = this.#session.messages().messages
    expect((await verifyLog(path)).findings).toEqual([])
    await this.#session.release()
    const root = path.slice(0, path.indexOf('/.transcripts/'))
    const { messages, degraded } = await resumeSession({ root, id: 's', mode: 'inspect' })
    expect(degraded).toBe(false)
    expect(messages).toEqual(live)
    const written = uuidsIn(path)
    expect(this.#account.said.filter((uuid) => !written.includes(uuid))).toEqual([])
  }

  async #call(isAnswered: boolean): Promise<void> {
    const tool_call_id = `t${this.#calls++}`
    await this.#session.append({
      type: 'tool_call',
      payload: { tool_call_id, name: 'x', input: {} },
    })
    if (!isAnswered) return
    const payload = { tool_call_id, content: 'ok', is_error: false }
    await this.#session.append({ type: 'tool_result', payload })
  }

  #compactor(summarizers: readonly Summarizer[]) {
    const keepPercent = this.#keepPercent
    return createCompactor(this.#session, { summarizers, keepPercent, minKeepMessages: 1 })
  }

  async #compact(summarizers: readonly Summarizer[]): Promise<void> {
    const { messages } = this.#session.messages({ repair: false })
    const compactor = this.#compactor(summarizers)
    const outcome = await compactor.compact().catch((error: { code?: string }) => {
      if (error.code !== 'ERR_NOTHING_TO_COMPACT') throw error
    })
    if (outcome === undefined) return
    const after = this.#session.messages({ repair: false }).messages
    const kept = after.slice(1).map(({ uuid }) => uuid)
    expect(messages.slice(outcome.messagesSummarized).map(({ uuid }) => uuid)).toEqual(kept)
    expect(this.#session.messages().diagnostics.map(({ code }) => code)).not.toContain(
      'orphan_tool_result',
    )
  }

  async #again(mode: 'append' | 'new'): Promise<void> {
    const { path } = this.#session
    await this.#session.release()
    const root = path.slice(0, path.indexOf('/.transcripts/'))
    if (mode === 'append') {
      this.#session = (await resumeSession({ root, id: 's', mode })).session!
      return
    }
    // Opened in between, and not changed.
    const { session } = await resumeSession({ root, id: 's', mode })
    await session!.release()
    this.#session = (await resumeSession({ root, id: 's', mode: 'append' })).session!
  }
}
