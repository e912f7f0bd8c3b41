// A session for others, to a pipe or into a file.

import { oneOf, refuseTogether, storeOptionsOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Without --projected it is the whole history, with its compactions and rewinds marked where they
happened, and the logs of its subagents behind it; so nothing that was compacted is out of reach.
jsonl holds the events as they lie on disk, and \`import\` makes an equal session of it. The same
session gives the same bytes, so a redacted export can be kept under version control. A file is
written whole or not at all, readable by you only; one that is there is replaced by --force only.

Examples:
  $ jsonl-session export demo --redact --format markdown --output demo.md
  wrote demo.md

  $ jsonl-session export demo --projected | jq -r 'select(.type == "user") | .payload.content'
  hello

Exit codes:
  0 exported · 2 wrong use, the output is there already, or failed · 3 not found
`

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write a session as JSON lines, Markdown or text',
  operand: '<session>',
  operandText: 'a session, or a log file',
  options: [
    { name: 'format', value: 'F', text: 'jsonl (default), markdown or text' },
    { name: 'projected', text: 'only what the model sees; cannot be imported' },
    { name: 'at', value: 'U', text: 'up to this event' },
    { name: 'redact', text: 'write [REDACTED] where a secret was' },
    { name: 'no-children', text: 'without the logs of its subagents' },
    { name: 'output', value: 'F', text: 'into this file, whole or not at all' },
    { name: 'force', text: 'replace the output if it is there' },
  ],
  lesson: LESSON,

  async run(call) {
    const format = oneOf(call, 'format', ['jsonl', 'markdown', 'text'])
    // JSON lines are what --json asks for too.
    if (format !== 'jsonl') refuseTogether(call, 'json', 'format')
    const given = call.value('output')
    // As everywhere else, and not a file of that name.
    const output = given === '-' ? undefined : given
    if (output === undefined && call.has('force'))
      throw new UsageError('--force goes with --output')
    const { exportSession } = await import('../../session/index.js')
    const { groupDiagnostics } = await import('../group-diagnostics.js')
    const { pathOf } = await import('../target.js')
    const storeOptions = storeOptionsOf(call)
    const path = await pathOf(call.operands[0]!, storeOptions)
    const lost = groupDiagnostics(call.notes)
    const pieces = exportSession(
      { path },
      {
        ...storeOptions,
        format,
        projected: call.has('projected'),
        at: call.value('at'),
        redact: call.has('redact'),
        children: !call.has('no-children'),
        onDiagnostic: (diagnostic) => lost.take(diagnostic),
      },
    )
    await (output === undefined ? print(call, pieces) : write(call, output, pieces))
    lost.tell()
    return EXIT.done
  },
}

async function print(call: Call, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) await call.output.write(piece)
}

async function write(call: Call, output: string, pieces: AsyncIterable<string>): Promise<void> {
  const { writeWholeFile } = await import('../../log/index.js')
  const { refusingExisting } = await import('../output-file.js')
  const { withProgress } = await import('../progress.js')
  await withProgress(call.notes, `Writing ${output}`, () =>
    refusingExisting(
      () => writeWholeFile(output, pieces, { replace: call.has('force') }),
      '--force replaces it',
    ),
  )
  call.notes.say(`wrote ${output}`)
}
