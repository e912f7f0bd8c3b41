#!/usr/bin/env node
// Chooses the file that holds the command. Scripts ask for the version often, so it is printed
// before anything else is loaded; commands that they call for every event have a file each.

import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_VERSION } from '../lib/version.js'
import type { Main } from './alone.js'
import { findCodeFolder, loadProgram, type Program } from './load-program.js'

/** The names of the files that hold one command each; set by bundle.mjs. */
declare const HOT_COMMANDS: readonly string[]
declare const require: (path: string) => { readonly main: Main }

/** The whole command line. */
const WHOLE = './main.cjs'
/** Its events differ in what they run. */
const HOOK = 'hooks-run'
const HOOK_RUNS = 4

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  printShortly(`${PACKAGE_VERSION}\n`)
} else {
  // Installed settings call `hook`.
  const words = args[0] === 'hook' ? ['hooks', 'run', ...args.slice(1)] : args
  const hot = HOT_COMMANDS.find((name) => name === words[0] || name === `${words[0]}-${words[1]}`)
  const program: Program<{ readonly main: Main }> =
    hot === undefined
      ? { exports: require(WHOLE), keepCode: () => {} }
      : loadProgram(join(__dirname, 'hot', `${hot}.cjs`), {
          use: useOf(hot, words),
          folder: findCodeFolder(process.env),
          runs: hot === HOOK ? HOOK_RUNS : 1,
        })
  void program.exports.main(args, process).then((exitCode) => {
    // exitCode and not exit(): a pipe may still be reading what we wrote.
    process.exitCode = exitCode
    // A wrong call compiled little, and its words may be anything.
    if (exitCode < 2) program.keepCode()
    // A harness waits for the end of its hook, whose output is complete: skip the cleanup.
    if (hot === HOOK) process.exit()
  })
}

/** Without a stream, which takes longer than all the rest, unless a pipe does not block. */
function printShortly(text: string): void {
  try {
    writeSync(1, text)
  } catch {
    // A reader that closed the pipe is not an error.
    process.stdout.on('error', () => {}).write(text)
  }
}

/** The command, and the event of a hook: each compiles other parts. */
function useOf(hot: string, words: readonly string[]): string {
  const use = (hot === HOOK ? words[2] : hot) ?? ''
  return /^[A-Za-z-]{1,32}$/.test(use) ? use : 'any'
}
