// What a person waits for, and what it takes: commands on a session of 1 GB that was never compacted,
// each as a process of its own. Peak memory, and the time to the first byte of output.

import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInChild } from '../processes.mjs'

const PROGRAM = fileURLToPath(new URL('../../dist/bin/jsonl-session.cjs', import.meta.url))
const PRELOAD = fileURLToPath(new URL('../peak-memory.cjs', import.meta.url))
const MEGABYTE = 1_000_000
const MEMORY_MOST = 250

const COMMANDS = {
  show: ['show', 'large'],
  'show --last': ['show', 'large', '--last', '3'],
  'show --history': ['show', 'large', '--history'],
  resume: ['resume', 'large', '--mode', 'inspect'],
  search: ['search', 'nothing-like-this'],
  grep: ['grep', 'the', 'large'],
  stats: ['stats'],
  export: ['export', 'large', '--format', 'markdown'],
}

const names = Object.keys(COMMANDS)
const rowNames = [...names, 'view']

export const commandLineCases = [
  {
    // Not `command-line`: a case is found by its name, and that is the start of a process.
    name: 'large-session',
    durability: 'reads only',
    rows: [
      ...rowNames.map((name) => ({
        against: `memory at its peak, ${name}, 1 GB`,
        unit: 'MB',
        target: { most: MEMORY_MOST },
      })),
      ...rowNames.map((name) => ({ against: `first output, ${name}, 1 GB`, unit: 'ms' })),
    ],
    async measure({ folder, isQuick }) {
      const bytes = isQuick ? 30 * MEGABYTE : 1000 * MEGABYTE
      const transcripts = join(folder, '.transcripts')
      mkdirSync(transcripts, { recursive: true })
      const log = { name: 'large', path: join(transcripts, 'large.jsonl'), bytes }
      await runInChild('make-logs', [log])
      const measured = []
      for (const name of names) measured.push(await runProgram(COMMANDS[name], folder))
      measured.push(await runViewer(folder))
      return [
        ...measured.map(({ peak }) => ({ value: peak / MEGABYTE })),
        ...measured.map(({ firstMs }) => ({ value: firstMs })),
      ]
    },
  },
]

// A terminal for it, of Python; it is quit when its first screen is there.
const IN_TERMINAL = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
sent = False
while True:
    try: data = os.read(fd, 65536)
    except OSError: break
    if not data: break
    os.write(1, data)
    if not sent and b'written' in data: os.write(fd, b'q'); sent = True
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
`

function runViewer(root) {
  const command = [process.execPath, '-r', PRELOAD, PROGRAM, 'view', 'large']
  return measureProgram('python3', ['-c', IN_TERMINAL, ...command], root)
}

function runProgram(args, root) {
  return measureProgram(process.execPath, ['-r', PRELOAD, PROGRAM, ...args], root)
}

function measureProgram(program, args, root) {
  const peakFile = join(root, 'peak')
  const stores = { JSONL_SESSION_ROOT: root, JSONL_SESSION_HOME: root, TERM: 'xterm' }
  const env = { ...process.env, ...stores, peakFile }
  const start = performance.now()
  const child = spawn(program, args, { env })
  let firstMs
  child.stdout.on('data', () => {
    firstMs ??= performance.now() - start
  })
  child.stderr.resume()
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => {
      // 1: no match.
      if (exitCode !== 0 && exitCode !== 1) {
        reject(new Error(`${args.join(' ')} exited with ${exitCode}`))
        return
      }
      const peak = Number(readFileSync(peakFile, 'utf8'))
      // Without a match there is no output but the end.
      resolve({ peak, firstMs: firstMs ?? performance.now() - start })
    })
  })
}
