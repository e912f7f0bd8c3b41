// Our side of a comparison, by the built command line only.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toMessageList } from './messages.mjs'

/** The built command line; set the variable to try another build. */
export const PROGRAM =
  process.env.JSONL_SESSION_REAL_PROGRAM ??
  fileURLToPath(new URL('../../../dist/bin/jsonl-session.cjs', import.meta.url))

/** Runs the built command line; returns what it printed as JSON. */
export function runOurs(args, { root, env = process.env }) {
  const all = [PROGRAM, ...args, '--json', '--root', root]
  return JSON.parse(
    execFileSync(process.execPath, all, { encoding: 'utf8', env, maxBuffer: 1 << 30 }),
  )
}

/** Imports files into a store of their own; returns their reports and what the model would see of `sessionId`. */
export function importAndInspect(files, sessionId) {
  const root = mkdtempSync(join(tmpdir(), 'jsonl-session-real-'))
  // Its own HOME: an import must not look into the home of the person who runs this.
  const env = { ...process.env, HOME: root, JSONL_SESSION_HOME: root }
  try {
    const imported = spawnSync(
      process.execPath,
      [PROGRAM, 'import', ...files, '--json', '--root', root],
      { encoding: 'utf8', env, maxBuffer: 1 << 30 },
    )
    if (imported.stdout === '') throw new Error(`the import printed nothing: ${imported.stderr}`)
    const reports = JSON.parse(imported.stdout)
    const resumed = runOurs(['resume', sessionId, '--mode', 'inspect'], { root, env })
    return { reports, resumed, messages: toMessageList(resumed.messages) }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** What the reports say was lost or not understood; empty if an import claims to be complete. */
export function listLosses(reports) {
  return reports.flatMap(
    ({ dropped = {}, repaired = {}, uninterpreted = {}, skipped, sidechains = [] }) => [
      ...Object.keys(repaired),
      ...Object.keys(dropped).filter((reason) =>
        ['damaged', 'unfinished_line', 'refused'].includes(reason),
      ),
      ...Object.keys(uninterpreted).map((type) => `uninterpreted ${type}`),
      ...(skipped === null || skipped === undefined ? [] : [skipped.reason]),
      ...listLosses(sidechains),
    ],
  )
}
