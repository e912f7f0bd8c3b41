// Arguments of one command. Whatever the quick parser does not take, and everything else, is for
// commander to judge, so there is one grammar and one kind of message.

import type { Command, Parsed } from './command.js'
import { parseQuickly } from './parse-quickly.js'

/** The arguments, or the text of the help when they ask for it. */
export async function parse(command: Command, args: readonly string[]): Promise<Parsed | string> {
  const parsed = command.isHot ? parseQuickly(command, args) : undefined
  if (parsed !== undefined) return parsed
  const { parseWithHelp } = await import('./help.js')
  return parseWithHelp(command, args)
}
