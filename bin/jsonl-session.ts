#!/usr/bin/env node
// Scripts ask for the version often, so it is told before anything else is loaded.

import { PACKAGE_VERSION } from '../lib/version.js'

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Who stopped reading has what they wanted.
  process.stdout.on('error', () => {}).write(`${PACKAGE_VERSION}\n`)
} else {
  void import('./main.js')
    .then(({ main }) => main(args, process))
    .then((exitCode) => {
      // exitCode and not exit(): a pipe may still be reading what we wrote.
      process.exitCode = exitCode
    })
}
