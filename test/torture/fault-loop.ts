// Runs the same script of a session again and again, and each time another of its calls to the disk
// fails, once or from then on.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FileFault, watchFiles } from '../helpers/watched-files.js'
import { exceptDamage, problemsOf } from './check.js'
import { goOn, keepHouse, type Life, live } from './life.js'

const FULL: FileFault = { code: 'ENOSPC', errno: -28 }
const QUOTA: FileFault = { code: 'UNKNOWN', errno: -122, takes: 40 }
const BROKEN: FileFault = { code: 'EIO', errno: -5 }
const READ_ONLY: FileFault = { code: 'EROFS', errno: -30 }
const TOO_MANY: FileFault = { code: 'EMFILE', errno: -24 }

/** What a disk may answer to each call. */
const FAULTS: Readonly<Record<string, readonly FileFault[]>> = {
  openSync: [TOO_MANY, BROKEN],
  mkdirSync: [FULL, READ_ONLY],
  linkSync: [FULL],
  renameSync: [FULL],
  writeSync: [{ ...FULL, takes: 1 }, QUOTA, BROKEN],
  readdirSync: [TOO_MANY],
}
const OTHERWISE = [BROKEN]
const HANG_MS = 20_000

const NOTHING: Life = { acks: [], checkpoints: [], errors: [] }

/** What is done on the bad disk, and what was done before on a good one. */
export const SCRIPTS = {
  'the life of a session': {
    prepare: async (_: string): Promise<Life> => NOTHING,
    run: (folder: string): Promise<Life> => live(folder),
  },
  'what is done around a session': { prepare: live, run: keepHouse },
} as const

export type ScriptName = keyof typeof SCRIPTS

export interface FaultPoint {
  readonly script: ScriptName
  /** Which call of the life. */
  readonly at: number
  readonly name: string
  readonly fault: FileFault
}

export interface FaultFinding {
  readonly point: FaultPoint
  readonly problems: readonly unknown[]
}

/** Every call of an undisturbed run, with everything that a disk may answer to it. */
export async function listFaultPoints(
  folder: string,
  script: ScriptName,
): Promise<readonly FaultPoint[]> {
  const names: string[] = []
  mkdirSync(folder)
  const before = await SCRIPTS[script].prepare(folder)
  const unwatch = watchFiles(folder, {
    before: ({ name }) => {
      names.push(name)
      return undefined
    },
  })
  const { errors } = await SCRIPTS[script].run(folder, before).finally(unwatch)
  if (errors.length > 0) throw new Error(`Without faults it fails: ${errors[0]!.text}`)
  return names.flatMap((name, at) =>
    (FAULTS[name] ?? OTHERWISE).map((fault) => ({ script, at, name, fault })),
  )
}

/** What one life with that fault did, and what is wrong with what it left. */
export async function liveWithFault(
  folder: string,
  point: FaultPoint,
  { isSticky }: { isSticky: boolean },
): Promise<{ life: Life; problems: readonly unknown[] }> {
  mkdirSync(folder)
  const { prepare, run } = SCRIPTS[point.script]
  const before = await prepare(folder)
  let count = 0
  const unwatch = watchFiles(folder, {
    before: () => {
      const isHit = isSticky ? count >= point.at : count === point.at
      count++
      return isHit ? point.fault : undefined
    },
  })
  const hung: Life = { ...NOTHING }
  const life = await Promise.race([
    run(folder, before),
    sleep(HANG_MS, hung, { ref: false }),
  ]).finally(unwatch)
  return { life, problems: life === hung ? ['hung'] : await problemsAfter(folder, life) }
}

async function problemsAfter(folder: string, life: Life): Promise<unknown[]> {
  const problems: unknown[] = life.errors.filter(({ isTyped }) => !isTyped)
  try {
    const { path, ack, checkpoints } = await goOn(folder)
    problems.push(...exceptDamage(problemsOf(path, [...life.acks, ack])))
    const lost = life.checkpoints.filter((id) => !checkpoints.includes(id))
    problems.push(...lost.map((id) => ({ what: 'lost checkpoint', id })))
  } catch (error) {
    problems.push({ what: 'cannot resume', error: String(error) })
  }
  return problems
}

/** Lives through all of the points, and gives what went wrong. */
export async function findFaultProblems(
  folder: string,
  points: readonly FaultPoint[],
  { isSticky }: { isSticky: boolean },
): Promise<{ findings: FaultFinding[]; errors: number }> {
  const findings: FaultFinding[] = []
  let errors = 0
  for (const [index, point] of points.entries()) {
    const { life, problems } = await liveWithFault(join(folder, `f${index}`), point, { isSticky })
    errors += life.errors.length
    if (problems.length > 0) findings.push({ point, problems })
  }
  return { findings, errors }
}
