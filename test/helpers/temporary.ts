// Folders of one test, gone when it ends.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'vitest'

export function temporaryFolder(t: Pick<TestContext, 'onTestFinished'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-'))
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
