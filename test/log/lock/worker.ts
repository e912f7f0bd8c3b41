// Workers that end with their test, and the folder a test works in.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ADVISORY, KERNEL, type Kind, Worker } from './worker-process.js'

export { ADVISORY, KERNEL, type Kind, Worker } from './worker-process.js'

/** Ended with the test, whatever becomes of it. */
export function startWorker(): Worker {
  const worker = new Worker()
  onTestFinished(() => worker.kill())
  return worker
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jsonl-session-lock-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const KINDS: readonly { readonly name: string; readonly kind: Kind }[] = [
  { name: 'with the kernel lock', kind: KERNEL },
  { name: 'without it', kind: ADVISORY },
]

/** Who holds, and who comes after: K has the kernel lock, A has not. */
export const PAIRS: readonly {
  readonly name: string
  readonly first: Kind
  readonly second: Kind
}[] = [
  { name: 'K, K', first: KERNEL, second: KERNEL },
  { name: 'K, A', first: KERNEL, second: ADVISORY },
  { name: 'A, K', first: ADVISORY, second: KERNEL },
  { name: 'A, A', first: ADVISORY, second: ADVISORY },
]
