// Whatever happens to the shards, the functions that find checkpoints agree with a plain reading of
// all lines.

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { fieldsOf } from '../../../lib/chain/index.js'
import { checkChecksum } from '../../../lib/format/index.js'
import { readLogSync } from '../../../lib/log/index.js'
import { shardPathOf } from '../../../lib/store/checkpoints/read-shard.js'
import {
  type CheckpointPayload,
  findCheckpoint,
  findNewestCheckpoint,
  listCheckpoints,
  openContext,
  pruneCheckpoints,
} from '../../../lib/store/index.js'
import { foreignLine, id } from '../../helpers/lines.js'
import { type Random, seededRandom } from '../../helpers/random.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { Transcript } from '../catalog/catalog-transcript.js'
import {
  checkpoint,
  checkpointLine,
  clock,
  DAY_MS,
  NOW,
  tombstoneLine,
} from './checkpoint-lines.js'

const PROJECTS = ['/work/a', '/work/b', '/work/é "c"', null]
const SESSIONS = ['s1', 's2', 's3', 'sé\\4']
const CAP = 5
const STEPS = 150
const STEP_MS = (30 * DAY_MS) / STEPS

const rules = { maxCheckpointsPerSession: CAP, retentionDays: 7 }

class RandomShards {
  readonly #root: string
  readonly #random: Random
  #count = 0
  #steps = 0

  constructor(root: string, random: Random) {
    this.#root = root
    this.#random = random
  }

  async change(): Promise<void> {
    this.#steps++
    const random = this.#random
    const path = shardPathOf(openContext({ root: this.#root }), random.pick(PROJECTS))
    mkdirSync(dirname(path), { recursive: true })
    const changes: [number, () => unknown][] = [
      [12, () => this.#append(path, this.#line(path))],
      [3, () => this.#append(path, tombstoneLine(++this.#count, random.between(1, this.#count)))],
      [2, () => this.#append(path, this.#foreign(path))],
      [1, () => this.#append(path, this.#line(path).subarray(0, random.between(1, 400)))],
      [1, () => this.#append(path, this.#line(path).subarray(0, -1))],
      [1, () => this.#append(path, Buffer.from(random.pick(['oops\n', '\n', '\0\0\n', '{}{}\n'])))],
      [2, () => this.#damage(path)],
      [1, () => this.#repeat(path)],
      [1, () => this.#prune()],
      [1, () => rmSync(path, { force: true })],
    ]
    const all = changes.flatMap(([weight, change]) => Array<() => unknown>(weight).fill(change))
    await random.pick(all)()
  }

  #line(path: string): Buffer {
    return checkpointLine(this.#told(path))
  }

  #told(path: string): Parameters<typeof checkpoint>[0] {
    const random = this.#random
    const project = PROJECTS.find(
      (it) => shardPathOf(openContext({ root: this.#root }), it) === path,
    )
    const session = random.pick(SESSIONS)
    const digest = 'x'.repeat(random.pick([0, 10, 1000]))
    const number = ++this.#count
    // The clock runs to now; some lines are late, and some are of a wrong clock.
    const drift = random.pick([0, 0, 0, 1, 5, -STEPS]) * STEP_MS
    const ageMs = (STEPS - this.#steps) * STEP_MS + drift
    return { number, session, project: project ?? null, ageMs, more: { digest } }
  }

  #foreign(path: string): Buffer {
    const payload = checkpoint(this.#told(path))
    const event = { type: 'checkpoint', ts: payload.created_at, uuid: payload.id, payload }
    return this.#random.below(2) === 0
      ? foreignLine(event)
      : foreignLine({ ...event, payload: { ...payload, project_normalized: undefined } })
  }

  #append(path: string, bytes: Buffer): void {
    appendFileSync(path, bytes)
  }

  #damage(path: string): void {
    const bytes = read(path)
    if (bytes.length === 0) return
    bytes[this.#random.below(bytes.length)]! ^= this.#random.between(1, 255)
    writeFileSync(path, bytes)
    // As it would have, had somebody damaged it at another time than this very moment.
    utimesSync(path, this.#steps, this.#steps)
  }

  #repeat(path: string): void {
    const lines = read(path).toString('latin1').trimEnd().split('\n')
    appendFileSync(path, `${this.#random.pick(['', '\n'])}${lines.at(-1)}\n`, 'latin1')
  }

  #prune(): Promise<unknown> {
    const options = { root: this.#root, apply: true, force: true, ...clock, ...rules }
    return pruneCheckpoints(openContext(options), options)
  }
}

function read(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

function isWhole({ id, session_key, digest, created_at }: Partial<CheckpointPayload>): boolean {
  const isNamed = typeof id === 'string' && typeof session_key === 'string'
  return isNamed && typeof digest === 'string' && !Number.isNaN(Date.parse(created_at ?? ''))
}

/** The rules once more, written down as one would say them. */
function definition(root: string, project: string | null): string[] {
  const path = shardPathOf(openContext({ root }), project)
  let stored: CheckpointPayload[] = []
  const seen: CheckpointPayload[] = []
  const bytes = read(path)
  if (bytes.length > 0) {
    for (const entry of readLogSync(path)) {
      // A checksum that is wrong is damage, also where no other line has one that is right.
      const { byte_offset: start, length } = entry
      if (checkChecksum(bytes, start, start + length) === 'wrong') continue
      if (entry.kind !== 'event') continue
      // Damage may have renamed the payload of a line that no checksum guards.
      const fields: unknown = fieldsOf(entry.event.payload)
      const payload = fields as CheckpointPayload & { target_id?: string }
      if (entry.event.type === 'checkpoint_tombstone') {
        stored = stored.filter(({ id }) => id !== payload.target_id)
      } else if (entry.event.type === 'checkpoint' && isWhole(payload)) {
        seen.push(payload)
        stored = [...stored.filter(({ id }) => id !== payload.id), payload]
      }
    }
  }
  const isAhead = (one: CheckpointPayload) => Date.parse(one.created_at) > NOW + 5 * 60_000
  const rank = (one: CheckpointPayload): number => {
    if (!isAhead(one)) return Date.parse(one.created_at)
    const before = seen.slice(0, seen.indexOf(one)).filter((other) => !isAhead(other))
    return Math.max(0, ...before.map(({ created_at }) => Date.parse(created_at)))
  }
  const newestFirst = stored.toReversed().sort((one, other) => rank(other) - rank(one))
  return newestFirst
    .filter((one) => {
      const own = newestFirst.filter(({ session_key }) => session_key === one.session_key)
      const place = own.indexOf(one)
      const isYoung = NOW - Date.parse(one.created_at) <= 7 * DAY_MS
      return place < CAP && (isYoung || place === 0)
    })
    .filter((one) => (one.project_normalized ?? one.project) === project)
    .map(({ id }) => id)
}

// Requirement: 000-14
test('finding checkpoints equals the definition after any change of the shards', async (t) => {
  const root = temporaryFolder(t)
  const random = seededRandom(t)
  const shards = new RandomShards(root, random)
  const store = openContext({ root, ...clock })
  const limit = Number.POSITIVE_INFINITY
  const idsOf = (query: object) =>
    listCheckpoints(store, { ...rules, ...query }).checkpoints.map(
      ({ checkpoint }) => checkpoint.id,
    )
  const newestOf = (query: object) =>
    findNewestCheckpoint(store, { ...rules, ...query }).newest?.checkpoint
  new Transcript('s2', 0, { project_normalized: '/work/b' }).say('hi').save(root)
  for (let step = 0; step < STEPS; step++) {
    await shards.change()
    const project = random.pick(PROJECTS.filter((it) => it !== null))
    const expected = definition(root, project)
    expect(idsOf({ project, limit }), `step ${step}`).toEqual(expected)
    expect(idsOf({ project, limit: 3 })).toEqual(expected.slice(0, 3))
    expect(newestOf({ project })?.id).toBe(expected[0])
    const session = random.pick(SESSIONS)
    const newest = newestOf({ session })
    if (newest !== undefined) expect(idsOf({ session })).toContain(newest.id)
    const [first] = expected
    if (first !== undefined) {
      expect(findCheckpoint(store, first, rules)).toMatchObject({ visible: true })
    }
  }
  expect(findCheckpoint(store, id(0))).toBeUndefined()
  // A prune leaves nothing behind but shards.
  const names = readdirSync(join(root, '.checkpoints'))
  expect(names.filter((name) => !name.endsWith('.jsonl'))).toEqual([])
})
