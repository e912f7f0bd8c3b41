// `npm run shells`: tab completion in the real bash, zsh and fish, each on a terminal of its own, and
// the man page read by man and groff. Prints one line for each, and why one was skipped. With
// `--optional` it is no failure that a program is not installed.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SHELLS } from './shells.mjs'

const BINARY = fileURLToPath(new URL('../../dist/bin/jsonl-session.cjs', import.meta.url))
const DRIVER = fileURLToPath(new URL('../cli/children/terminal.py', import.meta.url))

// Typed, followed by Tab and Enter; then what the program is called with.
const LINES = [
  // The first Tab of a new shell loads the completion, and must complete already.
  ['res', 'resume'],
  ['resume demo --mode ins', 'resume demo --mode inspect'],
  ['resume demo --mode=ins', 'resume demo --mode=inspect'],
  ['resume --too', 'resume --tools'],
  ['export --format mark', 'export --format markdown'],
  ['stats --by pro', 'stats --by project'],
  ['grep x --type user,assist', 'grep x --type user,assistant'],
  ['grep -i -C 3 x --role sys', 'grep -i -C 3 x --role system'],
  ['hooks install --for gem', 'hooks install --for gemini'],
  ['completion fi', 'completion fish'],
  ['bypass demo of', 'bypass demo off'],
  ['show first-s', 'show first-session'],
  ['view -f first-s', 'view -f first-session'],
  ['show agent:ma', 'show agent:main'],
  ['history --session first-s', 'history --session first-session'],
  [
    'rewind first-session --to 0b0e',
    'rewind first-session --to 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a',
  ],
  ['verify other-f', 'verify other-file.txt'],
  ['repair first-session --output other-f', 'repair first-session --output other-file.txt'],
  ['repair first-session --output=other-f', 'repair first-session --output=other-file.txt'],
]

const EXPECTED_IN_PAGE = [
  'jsonl-session - Append-only JSONL sessions',
  '$ jsonl-session append demo --type user --payload \'{"content":"hello"}\'',
  '--no-color\n',
  '~/.jsonl-session',
  '\n   history add\n',
]
const PAGE = fileURLToPath(new URL('../../dist/man/jsonl-session.1', import.meta.url))
const MAN_CHECKS = [
  { name: 'man', args: ['--warnings', '-l', PAGE] },
  { name: 'groff', args: ['-ww', '-man', '-Tutf8', '-P-c', PAGE] },
]

const isOptional = process.argv.includes('--optional')
const hasTerminals = spawnSync('python3', ['-c', 'import pty']).status === 0
let isComplete = true
let failures = 0

for (const shell of SHELLS) {
  const { name, program } = shell
  if (!hasTerminals) skip(name, 'python3 is not installed')
  else if (spawnSync(program, ['--version']).error !== undefined) {
    skip(name, `${program} is not installed`)
  } else checkShell(shell)
}
for (const { name, args } of MAN_CHECKS) checkManPage(name, args)
process.exitCode = failures > 0 || !(isComplete || isOptional) ? 1 : 0

function checkShell({ name, program, prepare }) {
  const start = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'jsonl-session-shell-'))
  try {
    const place = makePlace(folder)
    const played = play(place, { args: prepare(place), lines: LINES })
    const [version] = execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    if (played === undefined) print('ok', name, `${LINES.length} lines (${seconds} s; ${version})`)
    else {
      failures++
      print('FAILED', name, played)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** It is read without a warning, and shows what its source says. */
function checkManPage(name, args) {
  const env = { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '80', MAN_KEEP_FORMATTING: '' }
  const { error, status, stdout, stderr } = spawnSync(name, args, { encoding: 'utf8', env })
  if (error !== undefined) return skip(name, `${name} is not installed`)
  const text = stdout.replace(/.\x08|\x1b\[[0-9;]*m/g, '')
  const missing = EXPECTED_IN_PAGE.find((part) => !text.includes(part))
  if (status === 0 && stderr === '' && missing === undefined) {
    return print('ok', name, `the man page, ${text.split('\n').length} lines`)
  }
  failures++
  print('FAILED', name, stderr || `the page has no ${JSON.stringify(missing)}`)
}

/** A store with sessions, and a program that answers completion and otherwise prints its arguments. */
function makePlace(folder) {
  const [bin, root, cwd] = ['bin', 'store', 'cwd'].map((name) => join(folder, name))
  for (const one of [bin, root, cwd]) mkdirSync(one)
  writeFileSync(join(cwd, 'other-file.txt'), '')
  const script = `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${BINARY}' "$@"; fi
printf 'RAN[%s]\\n' "$*"
`
  writeFileSync(join(bin, 'jsonl-session'), script, { mode: 0o755 })
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    TERM: 'xterm',
    HOME: folder,
    JSONL_SESSION_ROOT: root,
    JSONL_SESSION_HOME: root,
    LC_ALL: 'C.UTF-8',
  }
  const uuid = '0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a'
  append(env, ['first-session', '--uuid', uuid])
  append(env, ['agent:main'])
  const completion = (shell) =>
    execFileSync(process.execPath, [BINARY, 'completion', shell], { encoding: 'utf8' })
  return { folder, cwd, env, completion }
}

function append(env, args) {
  const payload = ['--type', 'user', '--payload', '{"content":"hello"}']
  execFileSync(process.execPath, [BINARY, 'append', ...args, ...payload], { env })
}

/** `undefined`, or which line was completed to something else. */
function play({ cwd, env }, { args, lines }) {
  const typed = lines.map(([line]) => `jsonl-session ${line}\t\r`)
  const waits = ['READY> ', ...lines.map(([, expected]) => `RAN[${expected}]`)]
  const steps = waits.map((wait, index) => ({ wait, send: typed[index] ?? 'exit\r' }))
  const call = { args, cwd, env, steps, rows: 24, columns: 120, seconds: 40 }
  const output = execFileSync('python3', [DRIVER, JSON.stringify(call)], { encoding: 'utf8' })
  const { seen, stepsLeft } = JSON.parse(output)
  if (stepsLeft === 0) return undefined
  const [line, expected] = lines[lines.length - stepsLeft] ?? ['', 'a prompt']
  return `"${line}" did not become "${expected}"; the end of the screen:\n${seen.slice(-600)}`
}

function skip(name, why) {
  isComplete = false
  print('skipped', name, why)
}

function print(state, name, text) {
  console.log(`${state.padEnd(8)}${name.padEnd(24)}${text}`)
}
