// Installs the packages of a test folder that has a package.json and a lockfile of its own.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const INSTALL_MS_MAX = 120_000

/** Does nothing if the packages of the lockfile are there; returns why they cannot be installed. */
export function installPackages(folder) {
  const lockfile = join(folder, 'package-lock.json')
  const mark = join(folder, 'node_modules', '.installed-by-run')
  try {
    const lock = readFileSync(lockfile, 'utf8')
    if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return undefined
    // Not `npm ci`, which fails where a registry lacks the package of another platform.
    execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: INSTALL_MS_MAX,
    })
    cpSync(lockfile, mark)
    return undefined
  } catch (error) {
    const lines = String(error.stderr ?? '')
      .split('\n')
      .filter((line) => line.startsWith('npm error'))
    return `npm install in ${folder} failed: ${lines[0] ?? error.code ?? error.message}`
  }
}
