// The arguments of commands that scripts call for every event, as far as they are plain: Node's
// parser alone would take a hundredth of the time of a hook.

import { type Command, GLOBAL_OPTIONS, type Parsed, toParsed } from '../command.js'

/** `undefined` when they are not plainly right: then commander judges, explains or helps. */
export function parseQuickly(command: Command, args: readonly string[]): Parsed | undefined {
  const words = (command.operand ?? '').split(' ').filter(Boolean)
  const operands: string[] = []
  const values = new Map<string, string | true>()
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (!isOptionLike(arg)) {
      operands.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const name = arg.slice(2, equals === -1 ? undefined : equals)
    const option = arg.startsWith('--') ? findOption(command, name) : undefined
    if (option === undefined) return undefined
    if (option.value === undefined) {
      if (equals !== -1) return undefined
      values.set(name, true)
      continue
    }
    const value = equals === -1 ? args[++at] : arg.slice(equals + 1)
    if (value === undefined || (equals === -1 && isOptionLike(value))) return undefined
    values.set(name, value)
  }
  const needed = words.filter((word) => !word.startsWith('[')).length
  if (operands.length < needed || operands.length > words.length) return undefined
  return toParsed(operands, values)
}

/** A single hyphen means stdin. */
function isOptionLike(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-')
}

function findOption({ options = [] }: Command, name: string) {
  const isMeant = (option: { readonly name: string; readonly isForPeople?: boolean }) =>
    option.name === name && option.isForPeople !== true
  return options.find(isMeant) ?? GLOBAL_OPTIONS.find(isMeant)
}
