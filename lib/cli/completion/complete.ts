// What may come next on a command line that is still being typed, from the table of commands.

import { type Command, GLOBAL_OPTIONS, type OptionSpec } from '../command.js'
import { ALIASES, COMMANDS } from '../commands.js'

export interface Candidate {
  readonly value: string
  readonly text: string
}

export interface Completion {
  readonly candidates: readonly Candidate[]
  /** File names are possible, too; the shell completes those. */
  readonly isFile: boolean
}

/** What comes before the word that is typed. */
export interface Typed {
  readonly command: Command | undefined
  readonly operandCount: number
  /** The option whose value comes next. */
  readonly pending: OptionSpec | undefined
  readonly values: ReadonlyMap<string, string>
}

export type ListSessionIds = (
  start: string,
  values: ReadonlyMap<string, string>,
) => Promise<readonly Candidate[]>

const NOTHING: Completion = { candidates: [], isFile: false }
const FILE: Completion = { candidates: [], isFile: true }
const HELP: OptionSpec = { name: 'help', text: 'print the help' }

const FILE_VALUES = new Set(['DIR', 'F', 'FILE', 'P'])
const SESSION_OPTIONS = new Set(['session', 'previous'])

/** The words after the name of the program; the last one is the one that is typed. */
export async function complete(
  words: readonly string[],
  listSessionIds: ListSessionIds,
): Promise<Completion> {
  // bash splits words at `=`, so `--root=x` comes as three.
  const parts = words.filter((word) => word !== '=')
  const current = words.at(-1) === '=' ? '' : (parts.pop() ?? '')
  const typed = await readTyped(parts)
  const { pending, values } = typed
  if (pending !== undefined) return optionValue(pending, () => listSessionIds(current, values))
  if (current.startsWith('-')) return startingWith(current, optionsOf(typed))
  const isNaming = typed.command === undefined || typed.operandCount === 0
  const names = isNaming ? await nextWords(parts) : []
  if (typed.command === undefined) return startingWith(current, names)
  const operand = await operandOf(typed, () => listSessionIds(current, values))
  const candidates = [...names, ...operand.candidates]
  return { ...startingWith(current, candidates), isFile: operand.isFile }
}

async function readTyped(words: readonly string[]): Promise<Typed> {
  const values = new Map<string, string>()
  const command = await COMMANDS.get(nameIn(words) ?? '')?.()
  const options = [...(command?.options ?? []), ...GLOBAL_OPTIONS]
  let pending: OptionSpec | undefined
  let operands = 0
  for (const word of words) {
    if (pending !== undefined) {
      values.set(pending.name, word)
      pending = undefined
    } else if (word.startsWith('--')) {
      const [name, value] = splitOption(word)
      const option = options.find((other) => other.name === name)
      if (option?.value !== undefined && value === undefined) pending = option
      else if (option !== undefined && value !== undefined) values.set(name, value)
    } else {
      operands++
    }
  }
  const nameWords = command?.name.split(' ').length ?? 0
  return { command, operandCount: Math.max(0, operands - nameWords), pending, values }
}

function splitOption(word: string): [name: string, value: string | undefined] {
  const at = word.indexOf('=')
  return at === -1 ? [word.slice(2), undefined] : [word.slice(2, at), word.slice(at + 1)]
}

/** The words that are not options, as far as they name a command. */
function plainWords(words: readonly string[]): readonly string[] {
  const takesValue = new Set(
    GLOBAL_OPTIONS.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`),
  )
  const plain = words.filter(
    (word, index) => !word.startsWith('-') && !takesValue.has(words[index - 1] ?? ''),
  )
  return plain[0] === 'help' ? plain.slice(1) : plain
}

function nameIn(words: readonly string[]): string | undefined {
  const plain = plainWords(words)
  const names = [plain.slice(0, 2).join(' '), plain[0] ?? '']
  return names.map((name) => ALIASES.get(name) ?? name).find((name) => COMMANDS.has(name))
}

/** The words that continue a name here: a first word, or the second of a group. */
async function nextWords(words: readonly string[]): Promise<Candidate[]> {
  const plain = plainWords(words)
  if (plain.length > 1) return []
  const start = plain.length === 0 ? '' : `${plain[0]} `
  const names = [...COMMANDS.keys()].filter((name) => name.startsWith(start))
  const rests = names.map((name) => name.slice(start.length).split(' '))
  const found = new Map<string, string>()
  for (const [index, [word, second]] of rests.entries()) {
    if (found.has(word!)) continue
    const group = rests.filter(([first]) => first === word).flatMap(([, other]) => other ?? [])
    const { summary } = await COMMANDS.get(names[index]!)!()
    found.set(word!, second === undefined ? summary : group.join(', '))
  }
  return [...found].map(([value, text]) => ({ value, text }))
}

function optionsOf({ command, values }: Typed): Candidate[] {
  const all = [...(command?.options ?? []), ...GLOBAL_OPTIONS, HELP]
  return all
    .filter(({ name, isHidden }) => !values.has(name) && !isHidden)
    .map(({ name, text }) => ({ value: `--${name}`, text }))
}

async function optionValue(
  { name, value }: OptionSpec,
  sessions: () => Promise<readonly Candidate[]>,
): Promise<Completion> {
  if (SESSION_OPTIONS.has(name)) return { candidates: await sessions(), isFile: false }
  return FILE_VALUES.has(value ?? '') && name !== 'runtime-path' ? FILE : NOTHING
}

async function operandOf(
  { command, operandCount }: Typed,
  sessions: () => Promise<readonly Candidate[]>,
): Promise<Completion> {
  const operands = (command!.operand ?? '').split(' ')
  const last = operands.at(-1)!
  const operand = operands[operandCount] ?? (last.includes('...') ? last : '')
  const words = /^<([a-z]+(?:\|[a-z]+)+)>$/.exec(operand)?.[1]?.split('|')
  if (words !== undefined) {
    return { candidates: words.map((value) => ({ value, text: '' })), isFile: false }
  }
  const isLog = /file|target/.test(operand)
  if (isLog || /session/.test(operand)) return { candidates: await sessions(), isFile: isLog }
  return /old|new/.test(operand) ? FILE : NOTHING
}

function startingWith(current: string, candidates: readonly Candidate[]): Completion {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)), isFile: false }
}
