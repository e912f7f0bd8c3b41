// Packages and programs to compare with. Each may be absent, and then its cases say so.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export class NotInstalled extends Error {}

export async function loadPeer(name) {
  try {
    return await import(name)
  } catch (error) {
    if (!['ERR_MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'].includes(error.code)) throw error
    throw new NotInstalled(`${name} is not installed`, { cause: error })
  }
}

/** Pi's session manager alone: the whole package takes seconds to load, which is no part of the work. */
export async function loadPi() {
  const name = '@mariozechner/pi-coding-agent'
  const file = new URL(`./node_modules/${name}/dist/core/session-manager.js`, import.meta.url)
  if (!existsSync(file)) throw new NotInstalled(`${name} is not installed`)
  return import(file.href)
}

/** It opens a database with `exec` and `prepare`, which both packages spell the same. */
export async function loadSqlite() {
  try {
    const { default: Database } = await loadPeer('better-sqlite3')
    return { name: 'better-sqlite3', open: (path) => new Database(path) }
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
  }
  const { DatabaseSync } = await loadPeer('node:sqlite').catch((cause) => {
    throw new NotInstalled('better-sqlite3 is not installed, and this Node has no node:sqlite', {
      cause,
    })
  })
  return { name: 'node:sqlite', open: (path) => new DatabaseSync(path) }
}

/** The path of the program, from the package that brings it. */
export function findRipgrep() {
  const packages = fileURLToPath(new URL('./node_modules/@vscode', import.meta.url))
  const found = existsSync(packages)
    ? readdirSync(packages)
        .map((name) => join(packages, name, 'bin/rg'))
        .find((path) => existsSync(path))
    : undefined
  if (found === undefined) throw new NotInstalled('@vscode/ripgrep is not installed')
  return found
}

export function findJq() {
  if (spawnSync('jq', ['--version']).error !== undefined)
    throw new NotInstalled('jq is not installed')
  return 'jq'
}

/** What was found, or why it was not: for a table that has other rows to fill. */
export function peerOrReason(find) {
  try {
    return { found: find() }
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error
    return { reason: error.message }
  }
}
