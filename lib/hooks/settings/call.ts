// How a settings file calls our hook command, and how such a call is recognised.

import type { CallOptions } from '../../store/index.js'
import { CLAUDE_CODE } from '../clients/claude-code.js'
import type { HookClient } from '../clients/client.js'

/** An entry of the settings: what the client runs at an event. */
export interface HookHandler {
  readonly type: 'command'
  readonly command: string
  readonly args?: readonly string[]
  readonly timeout: number
}

export function handlerFor(
  event: string,
  options: CallOptions,
  { name, timeout }: HookClient = CLAUDE_CODE,
): HookHandler {
  const { form, node, program, args = [] } = options
  // Without a name it is Claude Code, as in every installation so far.
  const client = name === CLAUDE_CODE.name ? [] : ['--for', name]
  const call = ['hook', event, ...client, ...args]
  // The command itself gives up much earlier.
  const rest = { timeout }
  if (form === 'args') return { type: 'command', command: node, args: [program, ...call], ...rest }
  const words = form === 'shell' ? [node, program, ...call] : ['jsonl-session', ...call]
  return { type: 'command', command: words.map(quoteWord).join(' '), ...rest }
}

export interface HookCall {
  /** Every word of the call, in any form. */
  readonly words: readonly string[]
  /** The file that is run, or the name that is searched on the PATH. */
  readonly program: string
  /** As it is written: the same words in another form are another call. */
  readonly written: string
}

const OUR_NAME = /^jsonl-session(?:\.[cm]?[jt]s|\.cmd|\.exe)?$/i
const RUNNERS = /^(?:node|npx|bunx?)(?:\.exe|\.cmd)?$/i

/** `undefined` for a hook that is not ours. */
export function callOf(handler: unknown): HookCall | undefined {
  const { type, command, args } = { ...(handler as Record<string, unknown> | null) }
  if (type !== 'command' || typeof command !== 'string') return undefined
  const words = Array.isArray(args) ? [command, ...args.map(String)] : wordsOf(command)
  const at = words.findIndex(
    (word, index) => OUR_NAME.test(fileName(word)) && words[index + 1] === 'hook',
  )
  const isRun = at === 0 || (at > 0 && RUNNERS.test(fileName(words[0]!)))
  return isRun
    ? { words, program: words[at]!, written: JSON.stringify([command, args]) }
    : undefined
}

function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1)!
}

/** For `sh` and everything that quotes like it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

const PIECE = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gs

/** Splits a line as a shell does, without variables and operators. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (const [, single, double, escaped, plain, space] of line.matchAll(PIECE)) {
    if (space === undefined) {
      const inDouble = double?.replaceAll(/\\([\\"$`])/g, '$1')
      word = `${word ?? ''}${single ?? inDouble ?? escaped ?? plain}`
    } else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}
