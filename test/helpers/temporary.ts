// Folders of one test, gone when it ends.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'vitest'

export function temporaryFolder(t: Pick<TestContext, 'onTestFinished'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-'))
  t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * In memory where the system has such a place: for thousands of small files, and for one that is
 * written thousands of times (ext4 waits for the disk when a file is emptied and written again).
 */
export function memoryFolder(t: Pick<TestContext, 'onTestFinished'>): string {
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const folder = mkdtempSync(join(place, 'jsonl-session-'))
  t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function temporaryFile(
  t: Pick<TestContext, 'onTestFinished'>,
  name: string,
  content: string | Buffer,
): string {
  const path = join(temporaryFolder(t), name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}
