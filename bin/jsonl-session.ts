#!/usr/bin/env node
// Which file holds the command that is meant. Scripts ask for the version often, so it is told
// before anything else is loaded; what they call for every event has a file of its own.

import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_VERSION } from '../lib/version.js'
import type { Main } from './alone.js'
import { loadProgram, type Program } from './load-program.js'

/** The names of the files beside this one that hold one command each; bundle.mjs tells them. */
declare const HOT_COMMANDS: readonly string[]
declare const require: (path: string) => { readonly main: Main }

/** The whole command line, which the build puts beside this file. */
const WHOLE = './main.cjs'

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  printShortly(`${PACKAGE_VERSION}\n`)
} else {
  const hot = HOT_COMMANDS.find((name) => name === args[0] || name === `${args[0]}-${args[1]}`)
  const program: Program<{ readonly main: Main }> =
    hot === undefined
      ? { exports: require(WHOLE), keepCode: () => {} }
      : loadProgram(join(__dirname, 'hot', `${hot}.cjs`), {
          use: useOf(args),
          folder: join(__dirname, 'code-cache'),
        })
  void program.exports.main(args, process).then((exitCode) => {
    // exitCode and not exit(): a pipe may still be reading what we wrote.
    process.exitCode = exitCode
    // What was called wrongly ran through little of it, and may have any name.
    if (exitCode < 2) program.keepCode()
    // A harness waits for the end of its hook, and all that a hook says is out by now: taking
    // down what nobody needs any more would only take time.
    if (hot === 'hook') process.exit()
  })
}

/** Without a stream, which would take longer than all the rest, but for a pipe that does not wait. */
function printShortly(text: string): void {
  try {
    writeSync(1, text)
  } catch {
    // Who stopped reading has what they wanted.
    process.stdout.on('error', () => {}).write(text)
  }
}

/** The command, and of a hook its event: each runs through parts of its own. */
function useOf([command = '', event = '']: readonly string[]): string {
  const use = command === 'hook' ? event : command
  return /^[A-Za-z-]{1,32}$/.test(use) ? use : 'any'
}
