// A program that takes over the terminal of this one, until it ends.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { RunProgram } from '../lib/cli/command.js'
import { SessionError } from '../lib/errors.js'

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** A terminal sends these to all of its programs itself. */
const BY_TERMINAL: ReadonlySet<string> = new Set(['SIGINT', 'SIGQUIT'])
const SIGNALED = 128

/** Returns its exit code; of one that a signal ended, 128 and the number of the signal, as a shell does. */
export const runProgram: RunProgram = (program, args, { env, input, io }) =>
  new Promise((resolve, reject) => {
    const stdin = input === undefined ? 'inherit' : 'pipe'
    // Without a shell: no part of a name, an id or a path is ever run.
    const child = spawn(program, [...args], { stdio: [stdin, 'inherit', 'inherit'], env })
    const isOnTerminal = io.stdin.isTTY === true
    const forward = (signal: NodeJS.Signals) => {
      if (!isOnTerminal || !BY_TERMINAL.has(signal)) child.kill(signal)
    }
    for (const signal of FORWARDED) io.on(signal, forward)
    const end = () => {
      for (const signal of FORWARDED) io.off(signal, forward)
    }
    // It need not read what it is given.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
    child.on('error', (error: NodeJS.ErrnoException) => {
      end()
      const why = error.code === 'ENOENT' ? 'there is no such program' : error.message
      reject(new SessionError('ERR_ARG', `Cannot start ${program}: ${why}`, { program }))
    })
    child.on('close', (code, signal) => {
      end()
      resolve(code ?? SIGNALED + (signal === null ? 0 : constants.signals[signal]))
    })
  })
