// Bundles test/runtimes/program.mjs in a project that has the library installed, and runs the one
// file in an empty folder, where no package can be found.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What the program prints, besides the kind of its locks. */
export const EXPECTED = {
  resumed: ['hello', 'hi'],
  second: 'ERR_LOCKED',
  followed: 'again',
  findings: 0,
  exported: true,
  hits: 1,
  listeners: 0,
}

/** Calls back with the folder of a project that has the library and its packages, and removes it. */
export async function withProject(use) {
  const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-project-'))
  try {
    install(folder)
    cpSync(join(ROOT, 'test/runtimes/program.mjs'), join(folder, 'program.mjs'))
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function install(folder) {
  const modules = join(folder, 'node_modules')
  const own = join(modules, 'jsonl-session')
  mkdirSync(own, { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(own, 'package.json'))
  cpSync(join(ROOT, 'dist/lib'), join(own, 'dist/lib'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
}

/** Runs a bundle in a folder that has nothing else in it. */
export function runAlone(folder, entry, command = [process.execPath]) {
  const empty = mkdtempSync(join(tmpdir(), 'jsonl-session-empty-'))
  try {
    cpSync(folder, empty, { recursive: true })
    return runProgram([...command, join(empty, entry)], empty)
  } finally {
    rmSync(empty, { recursive: true, force: true })
  }
}

/** What the program prints. */
export function runProgram([program, ...args], cwd) {
  const options = { cwd, encoding: 'utf8', timeout: 60_000 }
  const { status, stdout, stderr, error } = spawnSync(program, args, options)
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr}${stdout}`, { cause: error })
  return JSON.parse(stdout)
}
