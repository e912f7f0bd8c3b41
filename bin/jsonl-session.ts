#!/usr/bin/env node
// Which file holds the command that is meant. Scripts ask for the version often, so it is told
// before anything else is loaded; what they call for every event has a file of its own.

import { PACKAGE_VERSION } from '../lib/version.js'
import type { Main } from './alone.js'

/** The names of the files beside this one that hold one command each; bundle.mjs tells them. */
declare const HOT_COMMANDS: readonly string[]
declare const require: (path: string) => { readonly main: Main }

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Who stopped reading has what they wanted.
  process.stdout.on('error', () => {}).write(`${PACKAGE_VERSION}\n`)
} else {
  const hot = HOT_COMMANDS.find((name) => name === args[0] || name === `${args[0]}-${args[1]}`)
  const file = hot === undefined ? './main.cjs' : `./hot/${hot}.cjs`
  const { main } = require(file)
  void main(args, process).then((exitCode) => {
    // exitCode and not exit(): a pipe may still be reading what we wrote.
    process.exitCode = exitCode
  })
}
