// Arguments of one command. What scripts call for every event is read by Node's own parser, in a
// millisecond; whatever that one does not take, and everything else, is for commander to judge,
// so there is one grammar and one kind of message.

import { parseArgs } from 'node:util'
import { type Command, GLOBAL_OPTIONS, type Parsed, parsedOf } from './command.js'

/** The arguments, or the text of the help when they ask for it. */
export async function parse(command: Command, args: readonly string[]): Promise<Parsed | string> {
  const parsed = command.isHot ? parseQuickly(command, args) : undefined
  if (parsed !== undefined) return parsed
  const { parseWithHelp } = await import('./help.js')
  return parseWithHelp(command, args)
}

function parseQuickly(command: Command, args: readonly string[]): Parsed | undefined {
  const options: Record<string, { type: 'string' | 'boolean' }> = {}
  for (const { name, value } of [...command.options, ...GLOBAL_OPTIONS]) {
    options[name] = { type: value === undefined ? 'boolean' : 'string' }
  }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const isOptional = command.operand.startsWith('[')
    if (positionals.length > 1 || (positionals.length === 0 && !isOptional)) return undefined
    return parsedOf(positionals, new Map(Object.entries(values)))
  } catch {
    return undefined
  }
}
