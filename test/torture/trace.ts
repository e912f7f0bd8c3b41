// What writers asked of the disk, in their order: enough to build every state in which a crash at any
// moment may leave a file.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FileCall, watchFiles } from '../helpers/watched-files.js'
import type { Ack } from './check.js'

export type Step =
  /** The file is new: until its folder is synced a power cut may take its name. */
  | { readonly kind: 'create' }
  /** The folder was synced. */
  | { readonly kind: 'name' }
  | { readonly kind: 'write'; readonly bytes: Buffer }
  /** Everything before it is on the disk. */
  | { readonly kind: 'sync' }
  /** The event was acknowledged; `isOwed`: it must survive a power cut. */
  | { readonly kind: 'ack'; readonly uuid: string; readonly isOwed: boolean }

export type Acknowledge = (ack: Pick<Ack, 'uuid'>, isOwed: boolean) => void
export type AcknowledgeIn = (path: string, ...ack: Parameters<Acknowledge>) => void

/** Records what `run` does to one file; `acknowledge` is to be called with every receipt. */
export async function traceOf(
  path: string,
  folder: string,
  run: (acknowledge: Acknowledge) => Promise<void>,
): Promise<readonly Step[]> {
  const traces = await tracesOf(folder, (acknowledge) =>
    run((ack, isOwed) => acknowledge(path, ack, isOwed)),
  )
  return traces.get(path) ?? []
}

/** The same for all files of a folder and of the folders in it. */
export async function tracesOf(
  folder: string,
  run: (acknowledge: AcknowledgeIn) => Promise<void>,
): Promise<ReadonlyMap<string, readonly Step[]>> {
  const recorder = new Recorder(folder)
  const unwatch = watchFiles(folder, { after: (call, result) => recorder.hear(call, result) })
  try {
    await run((path, { uuid }, isOwed) => recorder.add(path, { kind: 'ack', uuid, isOwed }))
  } finally {
    unwatch()
  }
  return recorder.traces
}

class Recorder {
  readonly traces = new Map<string, Step[]>()

  constructor(folder: string) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      this.traces.set(path, [{ kind: 'write', bytes: readFileSync(path) }, { kind: 'sync' }])
    }
  }

  add(path: string, step: Step): void {
    const steps = this.traces.get(path)
    if (steps === undefined) this.traces.set(path, [{ kind: 'create' }, step])
    else steps.push(step)
  }

  hear({ name, path, bytes }: FileCall, result: unknown): void {
    if (name === 'writeSync') {
      this.add(path, { kind: 'write', bytes: Buffer.from(bytes!.subarray(0, Number(result))) })
    }
    if (!/^f(data)?sync/.test(name)) return
    if (this.traces.has(path)) this.add(path, { kind: 'sync' })
    for (const [file, steps] of this.traces) {
      if (dirname(file) === path) steps.push({ kind: 'name' })
    }
  }
}
