// The store that our hooks write in a throw-away HOME of a client.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM } from './ours.mjs'

const PERMISSIONS = /bypassPermissions|permission_?mode|approval_?mode/i

/** Installs our hooks for a client of this HOME. */
export function installHooks(client, home) {
  const args = [PROGRAM, 'hooks', 'install', '--for', client, '--apply']
  const env = { PATH: process.env.PATH, HOME: home }
  execFileSync(process.execPath, args, { env, cwd: home, stdio: 'ignore' })
}

/** The messages of all recorded sessions in short, oldest session first: `user: text`, `call: name input`. */
export function listRecorded(home) {
  return listLogs(home).map((path) => ({
    id: path.split('/').at(-1).replace('.jsonl', ''),
    messages: readRows(path).flatMap(toShort),
    ends: readRows(path).filter(({ type }) => type === 'session_terminator').length,
  }))
}

/** The files of the store that hold permission state. */
export function findLeaks(home) {
  return listLogs(home).filter((path) => PERMISSIONS.test(readFileSync(path, 'utf8')))
}

function listLogs(home) {
  const folder = join(home, '.jsonl-session', '.transcripts')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name))
    .sort((one, other) => readRows(one)[0].ts.localeCompare(readRows(other)[0].ts))
}

function readRows(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

function toShort({ type, payload }) {
  if (type === 'user' || type === 'assistant') return [`${type}: ${payload.content}`]
  if (type === 'tool_call')
    return [`call: ${payload.input.command ?? JSON.stringify(payload.input)}`]
  if (type !== 'tool_result') return []
  const kind = payload.is_error ? 'error' : 'result'
  const { content } = payload
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const output = /Output: (.*)/.exec(text)?.[1] ?? text
  return [`${kind}: ${output.trim()}`]
}

/** Compares two lists of lines; returns what `npm run real` prints. */
export function compareLines(wanted, found, problems = []) {
  const isEqual = JSON.stringify(wanted) === JSON.stringify(found)
  const diff = isEqual ? [] : [...wanted.map((it) => `- ${it}`), ...found.map((it) => `+ ${it}`)]
  const verdict = isEqual && problems.length === 0 ? 'equal' : 'wrong'
  return { verdict, diff, note: problems.length === 0 ? undefined : problems.join('; ') }
}
