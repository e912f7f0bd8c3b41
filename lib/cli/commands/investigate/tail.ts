// The newest events of one session or of all of them.

import type { FollowEntry } from '../../../log/index.js'
import { SessionTailing, type TailEntry, type TailSessionsOptions } from '../../../store/index.js'
import { type Call, type Command, UsageError } from '../../command.js'
import { readNumber, rejectTogether, resolveFile } from '../../input/arguments.js'
import { findSession, isFile } from '../../input/target.js'
import { type Colors, colorsOf } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { ReaderGone } from '../../output/output.js'
import { toPlainText } from '../../output/plain-text.js'
import { printJson } from '../../output/print.js'
import { untilInterrupted } from '../../output/progress.js'
import { Conversation } from '../../print/conversation.js'
import { rowOf } from '../../print/log.js'

const LESSON = `Without a session it covers the whole store; --project narrows it. New sessions appear as they
begin, and following a session also shows those that are resumed from it; one that does not exist
yet is waited for. Rows are those of \`log\`;
--projected shows the conversation instead, as a model sees it.

Every line of --json has a cursor, and the last one is printed on stderr, also after Ctrl-C.
--since-cursor continues right after it: nothing twice, nothing lost, over all files, also those
that began meanwhile. The cursor of a whole store grows with its number of sessions, by about eleven
characters each.

Examples:
  $ jsonl-session tail --lines 2
  ==> demo <==
       377     -  2026-01-31T12:00:00.000Z  user            0b0e7a52  hello
       590     -  2026-01-31T12:00:02.000Z  assistant       6a4f0c58  Hi. Let me look.

  $ jsonl-session tail -f --json --since-cursor "$CURSOR" | jq -r .event.type

Exit codes:
  0 shown, or stopped by Ctrl-C · 1 there is nothing to show · 2 wrong use, or failed · 3 not found
`

export const tail: Command = {
  name: 'tail',
  summary: 'Print the newest events of a session, a project or the store, and follow them',
  operand: '[session]',
  operandText: 'a session, or a log file; without it, every session of the store',
  options: [
    { name: 'follow', short: 'f', text: 'continue with what is written, until Ctrl-C' },
    { name: 'lines', value: 'N', text: 'begin with the newest N entries (default: 10)' },
    { name: 'since-cursor', value: 'C', text: 'begin right after this cursor instead' },
    { name: 'project', value: 'P', text: 'only sessions of this project' },
    { name: 'projected', text: 'the conversation as a model sees it' },
    { name: 'raw', text: 'every event as it is on disk; the default' },
  ],
  lesson: LESSON,

  async run(call) {
    rejectTogether(call, 'raw', 'projected')
    rejectTogether(call, 'lines', 'since-cursor')
    const [target] = call.operands
    if (target !== undefined && call.value('project') !== undefined) {
      throw new UsageError('A session and --project cannot be combined')
    }
    const isPath = target !== undefined && isFile(call, target)
    const options = {
      ...(isPath && { file: resolveFile(call, target) }),
      session: isPath || target === undefined ? undefined : findSession(call, target),
      project: call.value('project'),
      lines: readNumber(call, 'lines'),
      cursor: call.value('since-cursor'),
      projected: call.has('projected'),
      follow: call.has('follow'),
    }
    return untilInterrupted(call, (signal) => printTail(call, { ...options, signal }))
  },
}

export async function printTail(call: Call, options: TailSessionsOptions): Promise<number> {
  const tailing = new SessionTailing(call.store, options)
  if (tailing.isMissing) call.notes.say(`waiting for session ${toPlainText(options.session ?? '')}`)
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
    // A reader that closed the pipe needs no cursor; after any other failure the next call can
    // continue after the last row that was certainly written.
    if (!(error instanceof ReaderGone) && taken !== undefined) call.notes.reportCursor(taken)
    throw error
  }
  call.notes.reportCursor(tailing.cursor)
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
    if (this.#call.has('json')) return printJson(this.#call, entry)
    await this.#name(entry)
    if (this.#conversation === undefined) {
      // Read for every row: a terminal may change its width meanwhile.
      const style = { columns: output.columns, colors: this.#colors }
      return output.write(`${rowOf(entry, style)}\n`)
    }
    await say(this.#conversation, entry)
  }

  /** The session of the rows that follow, whenever it changes. */
  async #name({ path, sessionId }: TailEntry): Promise<void> {
    const isFirst = this.#path === undefined
    if (path === this.#path) return
    this.#path = path
    if (isFirst && !this.#isMany) return
    const name = this.#colors.bold(`==> ${toPlainText(sessionId ?? path)} <==`)
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
