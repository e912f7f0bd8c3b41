// The arguments of commands that scripts call for every event, read by Node's own parser, which
// takes a millisecond.

import { parseArgs } from 'node:util'
import { type Command, GLOBAL_OPTIONS, type Parsed, toParsed } from '../command.js'

/** `undefined` when they are not plainly right: then commander judges, explains or helps. */
export function parseQuickly(command: Command, args: readonly string[]): Parsed | undefined {
  const options: Record<string, { type: 'string' | 'boolean' }> = {}
  for (const { name, value, isForPeople } of [...(command.options ?? []), ...GLOBAL_OPTIONS]) {
    if (isForPeople) continue
    options[name] = { type: value === undefined ? 'boolean' : 'string' }
  }
  const operands = (command.operand ?? '').split(' ').filter(Boolean)
  const needed = operands.filter((operand) => !operand.startsWith('[')).length
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { length } = positionals
    if (length < needed || length > operands.length) return undefined
    return toParsed(positionals, new Map(Object.entries(values)))
  } catch {
    return undefined
  }
}
