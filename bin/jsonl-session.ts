#!/usr/bin/env node
// Which file holds the command that is meant. Scripts ask for the version often, so it is told
// before anything else is loaded; what they call for every event has a file of its own.

import { join } from 'node:path'
import { PACKAGE_VERSION } from '../lib/version.js'
import type { Main } from './alone.js'
import { loadProgram } from './load-program.js'

/** The names of the files beside this one that hold one command each; bundle.mjs tells them. */
declare const HOT_COMMANDS: readonly string[]

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Who stopped reading has what they wanted.
  process.stdout.on('error', () => {}).write(`${PACKAGE_VERSION}\n`)
} else {
  const hot = HOT_COMMANDS.find((name) => name === args[0] || name === `${args[0]}-${args[1]}`)
  const file = hot === undefined ? 'main.cjs' : join('hot', `${hot}.cjs`)
  const program = loadProgram<{ readonly main: Main }>(join(__dirname, file), useOf(args))
  void program.exports.main(args, process).then((exitCode) => {
    // exitCode and not exit(): a pipe may still be reading what we wrote.
    process.exitCode = exitCode
    // What was called wrongly ran through little of it, and may have any name.
    if (exitCode < 2) program.keepCode()
  })
}

/** The command, and of a hook its event: each runs through parts of its own. */
function useOf([command = '', event = '']: readonly string[]): string {
  const use = command === 'hook' ? event : command
  return /^[A-Za-z-]{1,32}$/.test(use) ? use : 'any'
}
