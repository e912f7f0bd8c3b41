// Every state in which a crash may leave a log. Two kinds of death:
//
// - the process dies: what was written is there, the write under way up to any byte
// - the power goes: what was synced is there; of each write since then all, nothing (NULs in its
//   place, because the size was written before the bytes) or a piece, and the file may end anywhere;
//   a new file may be gone as long as its folder was not synced

import type { Random } from '../helpers/random.js'
import type { Step } from './trace.js'

export interface CrashState {
  readonly death: 'process' | 'power'
  readonly bytes: Buffer
  /** Events that were acknowledged, and that this death may not take. */
  readonly owed: readonly string[]
}

// Of so many writes since the last sync every combination is tried; of more, some.
const COMBINED_MAX = 4
const FILLS = [1, 17, 512, 4096]

/** All states after one process death or power cut, at every step of the trace. */
export function* crashStates(steps: readonly Step[], random: Random): Generator<CrashState> {
  let durable = Buffer.alloc(0)
  let unsynced: Buffer[] = []
  let acked: string[] = []
  let owed: string[] = []
  let isNamed = true
  for (const step of steps) {
    if (step.kind === 'write') {
      const before = Buffer.concat([durable, ...unsynced])
      yield* cutsOf(before, step.bytes, acked)
      unsynced = [...unsynced, step.bytes]
      yield* powerCuts({ durable, unsynced, owed, random })
    } else if (step.kind === 'sync') {
      durable = Buffer.concat([durable, ...unsynced])
      unsynced = []
    } else if (step.kind !== 'ack') {
      isNamed = step.kind === 'name'
    } else {
      acked = [...acked, step.uuid]
      yield { death: 'process', bytes: Buffer.concat([durable, ...unsynced]), owed: acked }
      if (!step.isOwed) continue
      // With it, everything before it.
      owed = acked
      if (!isNamed) yield { death: 'power', bytes: Buffer.alloc(0), owed }
      if (unsynced.length > 0) yield* powerCuts({ durable, unsynced, owed, random })
      else yield { death: 'power', bytes: durable, owed }
    }
  }
}

function* cutsOf(before: Buffer, bytes: Buffer, owed: readonly string[]): Generator<CrashState> {
  for (let cut = 0; cut <= bytes.length; cut++) {
    yield { death: 'process', bytes: Buffer.concat([before, bytes.subarray(0, cut)]), owed }
  }
}

interface PowerCut {
  readonly durable: Buffer
  readonly unsynced: readonly Buffer[]
  readonly owed: readonly string[]
  readonly random: Random
}

function* powerCuts({ durable, unsynced, owed, random }: PowerCut): Generator<CrashState> {
  const state = (rest: Buffer): CrashState => {
    return { death: 'power', bytes: Buffer.concat([durable, rest]), owed }
  }
  const last = unsynced.at(-1)!
  for (const survivors of combinations(unsynced.length - 1, random)) {
    const before = Buffer.concat(
      unsynced.slice(0, -1).map((bytes, index) => {
        return survivors[index] ? bytes : Buffer.alloc(bytes.length)
      }),
    )
    // The last write, cut anywhere; its missing rest is not there, or there as NULs.
    for (let cut = 0; cut <= last.length; cut++) {
      const piece = Buffer.concat([before, last.subarray(0, cut)])
      yield state(piece)
      yield state(Buffer.concat([piece, Buffer.alloc(last.length - cut)]))
    }
    // The end arrived, and its beginning did not.
    const from = random.below(last.length)
    yield state(Buffer.concat([before, Buffer.alloc(from), last.subarray(from)]))
  }
  for (const fill of FILLS) yield state(Buffer.alloc(fill))
}

function* combinations(count: number, random: Random): Generator<readonly boolean[]> {
  if (count <= COMBINED_MAX) {
    for (let set = 0; set < 1 << count; set++) {
      yield Array.from({ length: count }, (_, index) => (set & (1 << index)) !== 0)
    }
    return
  }
  for (let tries = 0; tries < 1 << COMBINED_MAX; tries++) {
    yield Array.from({ length: count }, () => random.below(2) === 0)
  }
}
