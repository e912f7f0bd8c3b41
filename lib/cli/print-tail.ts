// Entries of many logs as rows, or as conversations, under the names of their sessions.

import { tolerantJson } from '../format/index.js'
import type { FollowEntry } from '../log/index.js'
import { SessionTailing, type TailEntry, type TailSessionsOptions } from '../store/index.js'
import { type Colors, colorsOf } from './colors.js'
import type { Call } from './command.js'
import { Conversation } from './conversation.js'
import { EXIT } from './exit-codes.js'
import { rowOf } from './log-row.js'
import { ReaderGone } from './output.js'
import { toPlainText } from './plain-text.js'

export async function printTail(call: Call, options: TailSessionsOptions): Promise<number> {
  const tailing = new SessionTailing(options)
  const printer = new TailPrinter(call, tailing.isMany, options.projected === true)
  let isEmpty = true
  let taken: string | undefined
  try {
    for await (const entry of tailing.entries()) {
      isEmpty = false
      await printer.print(entry)
      if (options.follow !== true) continue
      await call.output.flush()
      taken = entry.cursor
    }
    await call.output.flush()
  } catch (error) {
    // Whoever closed the pipe has seen enough; after any other failure one may wish to go on, from
    // behind the last row that was taken for certain.
    if (!(error instanceof ReaderGone) && taken !== undefined) call.notes.tellCursor(taken)
    throw error
  }
  call.notes.tellCursor(tailing.cursor)
  return isEmpty && options.follow !== true ? EXIT.no : EXIT.done
}

class TailPrinter {
  readonly #call: Call
  readonly #colors: Colors
  readonly #isMany: boolean
  readonly #conversation: Conversation | undefined
  #path: string | undefined

  constructor(call: Call, isMany: boolean, isProjected: boolean) {
    this.#call = call
    this.#colors = colorsOf(call)
    this.#isMany = isMany
    const style = { colors: this.#colors, isWhole: false }
    this.#conversation = isProjected ? new Conversation(call.output, style) : undefined
  }

  async print(entry: TailEntry): Promise<void> {
    const { output } = this.#call
    if (this.#call.has('json')) return output.write(`${tolerantJson(entry)}\n`)
    await this.#name(entry)
    if (this.#conversation === undefined) {
      // Asked for every row: a terminal may change its width while it is followed.
      const style = { columns: output.columns, colors: this.#colors }
      return output.write(`${rowOf(entry, style)}\n`)
    }
    await say(this.#conversation, entry)
  }

  /** Whose rows follow, whenever that changes. A session that goes on in a new file says so, too. */
  async #name({ path, session_id }: TailEntry): Promise<void> {
    const isFirst = this.#path === undefined
    if (path === this.#path) return
    this.#path = path
    if (isFirst && !this.#isMany) return
    const name = this.#colors.bold(`==> ${toPlainText(session_id ?? path)} <==`)
    await this.#call.output.write(`${isFirst ? '' : '\n'}${name}\n`)
  }
}

async function say(conversation: Conversation, entry: FollowEntry): Promise<void> {
  if (entry.kind !== 'event') return
  const { event } = entry
  if (event.type === 'compaction_boundary') return conversation.mark('compacted up to here')
  if (event.type !== 'rewind') return conversation.say(event)
  const { target_uuid } = (event.payload ?? {}) as Record<string, unknown>
  await conversation.mark(toPlainText(`rewound to ${target_uuid}`), 'yellow')
}
