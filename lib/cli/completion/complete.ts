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

type Values = ReadonlyMap<string, string>

/** What only the store knows. `values` are the options that were typed before. */
export interface CompletionSources {
  /** Sessions whose id begins with `start`. */
  sessions(start: string, values: Values): Promise<readonly Candidate[]>
  /** Sessions in the archive or the trash. */
  retired(place: 'archive' | 'trash', values: Values): Promise<readonly Candidate[]>
  /** The last messages of a session. */
  events(session: string, values: Values): Promise<readonly Candidate[]>
}

/** The word that is typed, and what comes before it. */
interface Typed {
  readonly current: string
  /** The words that name the command, or may come to. */
  readonly plain: readonly string[]
  readonly command: Command | undefined
  readonly operands: readonly string[]
  /** The option whose value comes next. */
  readonly pending: OptionSpec | undefined
  readonly values: Values
  readonly switches: ReadonlySet<string>
}

const NOTHING: Completion = { candidates: [], isFile: false }
const FILE: Completion = { candidates: [], isFile: true }
const HELP: OptionSpec = { name: 'help', text: 'print the help' }

const FILE_VALUES = new Set(['DIR', 'F', 'FILE', 'P'])
const SESSION_OPTIONS = new Set(['session', 'previous'])
const EVENT_VALUE = 'EVENT'

/** The words after the name of the program; the last one is the one that is typed. */
export async function complete(
  words: readonly string[],
  sources: CompletionSources,
): Promise<Completion> {
  // bash splits words at `=`, so `--root=x` comes as three; other shells keep it as one.
  const parts = words.filter((word) => word !== '=')
  const current = words.at(-1) === '=' ? '' : (parts.pop() ?? '')
  const glued = /^(--[\w-]+)=(.*)$/s.exec(current)
  if (glued === null) return completeWord(await readTyped(parts, current), sources)
  const [, option, value] = glued
  const typed = await readTyped([...parts, option!], value!)
  if (typed.pending === undefined) return NOTHING
  const { candidates, isFile } = await completeWord(typed, sources)
  return { candidates: candidates.map((one) => prefixed(`${option}=`, one)), isFile }
}

async function completeWord(typed: Typed, sources: CompletionSources): Promise<Completion> {
  const { pending, current, command, operands } = typed
  if (pending !== undefined) return valuesOf(pending, typed, sources)
  if (current.startsWith('-')) return startingWith(current, optionsOf(typed))
  const isNaming = command === undefined || operands.length === 0
  const names = isNaming ? await nextWords(typed.plain) : []
  if (command === undefined) return startingWith(current, names)
  const operand = await operandOf(command, typed, sources)
  const candidates = [...names, ...operand.candidates]
  return { ...startingWith(current, candidates), isFile: operand.isFile }
}

async function readTyped(words: readonly string[], current: string): Promise<Typed> {
  const command = await COMMANDS.get(nameIn(words) ?? '')?.()
  const options = [...(command?.options ?? []), ...GLOBAL_OPTIONS]
  const values = new Map<string, string>()
  const switches = new Set<string>()
  const plain: string[] = []
  let pending: OptionSpec | undefined
  for (const word of words) {
    if (pending !== undefined) {
      values.set(pending.name, word)
      pending = undefined
    } else if (word.startsWith('-') && word !== '-') {
      const { option, value } = readOption(word, options)
      if (option === undefined) continue
      if (value !== undefined) values.set(option.name, value)
      else if (option.value !== undefined) pending = option
      else switches.add(option.name)
    } else plain.push(word)
  }
  if (plain[0] === 'help') plain.shift()
  const nameWords = command?.name.split(' ').length ?? 0
  return { current, plain, command, operands: plain.slice(nameWords), pending, values, switches }
}

/** The option that a word names, and the value if the word contains it. */
function readOption(
  word: string,
  options: readonly OptionSpec[],
): { option: OptionSpec | undefined; value?: string | undefined } {
  if (word.startsWith('--')) {
    const at = word.indexOf('=')
    const name = at === -1 ? word.slice(2) : word.slice(2, at)
    const option = options.find((other) => other.name === name)
    return { option, value: at === -1 ? undefined : word.slice(at + 1) }
  }
  // Of letters in one word, like `-lC3`, the first that takes a value is the last letter.
  const letters = [...word.slice(1)].map((short) => options.find((it) => it.short === short))
  const at = letters.findIndex((option) => option?.value !== undefined)
  if (at === -1) return { option: letters.at(-1) }
  return { option: letters[at], value: word.slice(at + 2) || undefined }
}

/** The name of the command that the words begin with. */
function nameIn(words: readonly string[]): string | undefined {
  const takesValue = new Set(
    GLOBAL_OPTIONS.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`),
  )
  const plain = words.filter(
    (word, index) => !word.startsWith('-') && !takesValue.has(words[index - 1] ?? ''),
  )
  if (plain[0] === 'help') plain.shift()
  const names = [plain.slice(0, 2).join(' '), plain[0] ?? '']
  return names.map((name) => ALIASES.get(name) ?? name).find((name) => COMMANDS.has(name))
}

/** The words that continue a name here: a first word, or the second of a group. */
async function nextWords(plain: readonly string[]): Promise<Candidate[]> {
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

function optionsOf({ command, values, switches }: Typed): Candidate[] {
  const all = [...(command?.options ?? []), ...GLOBAL_OPTIONS, HELP]
  return all
    .filter(({ name, isHidden }) => !values.has(name) && !switches.has(name) && !isHidden)
    .map(({ name, text }) => ({ value: `--${name}`, text }))
}

async function valuesOf(
  { name, value, values, isList }: OptionSpec,
  typed: Typed,
  sources: CompletionSources,
): Promise<Completion> {
  const { current, operands } = typed
  if (values !== undefined) {
    const before = isList ? current.slice(0, current.lastIndexOf(',') + 1) : ''
    const given = before.split(',')
    const left = values.filter((word) => !given.includes(word))
    return startingWith(
      current,
      left.map((word) => ({ value: before + word, text: '' })),
    )
  }
  if (SESSION_OPTIONS.has(name)) {
    return startingWith(current, await sources.sessions(current, typed.values))
  }
  if (value === EVENT_VALUE) {
    const [session] = operands
    if (session === undefined) return NOTHING
    return startingWith(current, await sources.events(session, typed.values))
  }
  return FILE_VALUES.has(value ?? '') && name !== 'runtime-path' ? FILE : NOTHING
}

async function operandOf(
  { operand = '', retiredIn }: Command,
  { current, operands, values, switches }: Typed,
  sources: CompletionSources,
): Promise<Completion> {
  const specs = operand.split(' ')
  const last = specs.at(-1)!
  const spec = specs[operands.length] ?? (last.includes('...') ? last : '')
  const words = /^<([a-z]+(?:\|[a-z]+)+)>$/.exec(spec)?.[1]?.split('|')
  if (words !== undefined) {
    return { candidates: words.map((value) => ({ value, text: '' })), isFile: false }
  }
  const isLog = /file|target/.test(spec)
  if (isLog || /session/.test(spec)) {
    const candidates =
      retiredIn === undefined
        ? await sources.sessions(current, values)
        : await sources.retired(switches.has('archived') ? 'archive' : retiredIn, values)
    return {
      candidates: candidates.filter(({ value }) => !operands.includes(value)),
      isFile: isLog,
    }
  }
  return /old|new|path/.test(spec) ? FILE : NOTHING
}

function prefixed(start: string, { value, text }: Candidate): Candidate {
  return { value: start + value, text }
}

function startingWith(current: string, candidates: readonly Candidate[]): Completion {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)), isFile: false }
}
