// Two sessions from where they part.

import { SessionError } from '../../../errors.js'
import { MESSAGE_TYPES } from '../../../format/index.js'
import {
  type ComparedBranches,
  type ConversationItem,
  compareBranches,
} from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import { findLog } from '../../input/target.js'
import { colorsOf, NO_COLORS } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'
import { printJson } from '../../output/print.js'
import { plural } from '../../output/units.js'
import { Conversation, timeOf } from '../../print/conversation.js'
import { sayEvent } from '../../print/entry.js'

const LESSON = `Forks and resumed sessions begin with the events of their source. diff counts what both have in common,
and prints what each has after that: with - what only the first has, with + what only the second has.
Compared are the conversations as they happened: what was compacted is included, what a rewind left
behind is not. A fork of a fork is compared by the events that it still shares.

--json prints first what they have in common, and then one line for each event of the first and of
the second.

Examples:
  $ jsonl-session diff demo other
  4 messages in common, up to 6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11, 2026-01-31T12:00:02Z

  --- demo
  - User  2026-01-31T12:01:00Z  0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a
  - list the files
  …

  $ jsonl-session diff demo other --json
  {"sessions":["demo","other"],"common":{"events":4,"messages":4,"lastUuid":"6a4f0c58-…",…}}

Exit codes:
  0 no difference · 1 they differ · 2 wrong use, nothing in common, or failed · 3 not found
`

export const diff: Command = {
  name: 'diff',
  summary: 'Compare two sessions from the event at which they part',
  operand: '<session> <other>',
  operandText: ['a session, or a log file', 'another one'],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    const names = call.operands.slice(0, 2) as [string, string]
    const paths = names.map((name) => findLog(call, name)) as [string, string]
    const { common, rests } = await compareBranches(call.store, ...paths)
    if (common.last === undefined) rejectUnrelated(names, paths)
    const counts = call.has('json')
      ? await printRows(call, names, { common, rests })
      : await printText(call, names, { common, rests })
    await call.output.flush()
    if (counts[0] === 0 && counts[1] === 0) {
      call.notes.say(`${names[0]} and ${names[1]} have the same events`)
      return EXIT.done
    }
    return EXIT.no
  },
}

function rejectUnrelated(names: readonly string[], paths: readonly string[]): never {
  const what = `${names[0]} and ${names[1]} have no event in common: neither was forked or resumed from the other`
  throw new SessionError(
    'ERR_ARG',
    `${what}. \`jsonl-session list --tree\` shows which belong together`,
    {
      paths: paths.join(', '),
    },
  )
}

type Counts = [number, number]

async function printRows(
  call: Call,
  sessions: readonly string[],
  { common: { events, messages, last }, rests }: ComparedBranches,
): Promise<Counts> {
  const { uuid: lastUuid, ts: lastTs } = last!.event
  await printJson(call, { sessions, common: { events, messages, lastUuid, lastTs } })
  const counts: Counts = [0, 0]
  for (const index of [0, 1] as const) {
    for await (const { event, byteOffset, path } of rests[index]) {
      counts[index]++
      await printJson(call, { session: sessions[index], path, byteOffset, event })
    }
  }
  return counts
}

const SIDES = [
  { mark: '-', color: 'red' },
  { mark: '+', color: 'green' },
] as const

async function printText(
  call: Call,
  names: readonly [string, string],
  { common, rests }: ComparedBranches,
): Promise<Counts> {
  const { output } = call
  const colors = colorsOf(call)
  const { uuid, ts } = common.last!.event
  const place = `${toPlainText(uuid)}, ${timeOf(ts)}`
  await output.write(`${plural(common.messages, 'message')} in common, up to ${place}\n`)
  // Reading the rest may take long.
  await output.flush()
  const counts: Counts = [0, 0]
  for (const index of [0, 1] as const) {
    const { mark, color } = SIDES[index]
    const paint = colors[color]
    const heading = `${mark.repeat(3)} ${toPlainText(names[index])}`
    await output.write(`\n${colors.bold(paint(heading))}\n`)
    const write = async (text: string) => {
      for (const line of text.replace(/\n$/, '').split('\n')) {
        await output.write(`${paint(`${mark} ${line}`.trimEnd())}\n`)
      }
    }
    const columns = output.columns === undefined ? undefined : output.columns - 2
    const conversation = new Conversation({ write, columns }, { colors: NO_COLORS, isWhole: false })
    const messages = await say(conversation, rests[index], () => counts[index]++)
    await output.write(`${plural(messages, 'message')} only in ${toPlainText(names[index])}\n`)
  }
  return counts
}

async function say(
  conversation: Conversation,
  items: AsyncIterable<ConversationItem>,
  onEvent: () => void,
): Promise<number> {
  let messages = 0
  for await (const { event } of items) {
    onEvent()
    if (MESSAGE_TYPES.has(event.type)) messages++
    await sayEvent(conversation, event)
  }
  return messages
}
