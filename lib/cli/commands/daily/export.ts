// A session for other programs and people, to a pipe or into a file.

import { join } from 'node:path'
import { writeAtomicFile } from '../../../log/index.js'
import { exportPage, exportRecords, exportSession } from '../../../session/index.js'
import { readSmallText, type StoreContext } from '../../../store/index.js'
import { type Call, type Command, DRY_RUN, UsageError } from '../../command.js'
import { openStore, readChoice, rejectTogether, resolveFile } from '../../input/arguments.js'
import { EVENT_TEXT, readEventOption } from '../../input/event.js'
import { toNdjson } from '../../input/ndjson.js'
import { findLog } from '../../input/target.js'
import { EXIT } from '../../output/exit-codes.js'
import { DiagnosticGroups } from '../../output/notes.js'
import { answerDryRun, rejectExisting } from '../../output/print.js'
import { withProgress } from '../../output/progress.js'

const LESSON = `Without --projected, exports the whole history, from the first session that this one continues, with
compactions and rewinds marked where they happened, followed by the logs of its subagents; what was
compacted is included. jsonl has every event as it is on disk, and \`import\` restores equal sessions
from it; Markdown and text leave out what was abandoned by a rewind. The same session gives the same
bytes, so a redacted export can be kept under version control. A file is written completely or not
at all, readable only by you; --force replaces one that exists.

html is the viewer with the session inside: one file that opens from disk without a network and
prints well. Secrets are replaced in it unless --allow-secrets is given.

Examples:
  $ jsonl-session export demo --redact --format markdown --output demo.md
  wrote demo.md

  $ jsonl-session export demo --projected | jq -r 'select(.type == "user") | .payload.content'
  hello

Exit codes:
  0 exported · 2 wrong use, the output exists already, or failed · 3 not found
`

const FORMATS = ['jsonl', 'markdown', 'text', 'html'] as const

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write a session as JSON lines, Markdown, text or a page',
  operand: '<session>',
  operandText: 'a session, or a log file',
  options: [
    {
      name: 'format',
      value: 'F',
      text: 'jsonl (default), markdown, text or html',
      values: FORMATS,
    },
    { name: 'projected', text: 'only what the model sees; cannot be imported' },
    { name: 'at', value: 'EVENT', text: `up to this event: ${EVENT_TEXT}` },
    { name: 'redact', text: 'write [REDACTED] in place of secrets' },
    { name: 'allow-secrets', text: 'html: with secrets; other formats have them unless --redact' },
    { name: 'no-children', text: 'without the logs of its subagents' },
    { name: 'output', value: 'F', text: 'write to this file, completely or not at all' },
    { name: 'force', text: 'replace the output if it exists' },
    DRY_RUN,
  ],
  lesson: LESSON,

  async run(call) {
    const format = readChoice(call, 'format', FORMATS)
    // --json asks for JSON lines, too.
    if (format !== 'jsonl') rejectTogether(call, 'json', 'format')
    if (format === 'html') {
      // The page has all lenses, and is redacted anyway.
      for (const name of ['projected', 'at']) rejectTogether(call, name, 'format')
      rejectTogether(call, 'redact', 'allow-secrets')
    } else if (call.has('allow-secrets')) {
      throw new UsageError(
        '--allow-secrets is for --format html; other formats hide nothing unless --redact is given',
      )
    }
    const given = call.value('output')
    // As everywhere else `-` is stdout, not a file of that name.
    const output = given === '-' ? undefined : given
    if (output === undefined && call.has('force')) throw new UsageError('--force needs --output')
    const path = findLog(call, call.operands[0]!)
    if (call.has('dry-run')) {
      const to = output === undefined ? 'stdout' : resolveFile(call, output)
      return answerDryRun(call, { path, output: to }, `would export ${path} to ${to}`)
    }
    const lost = new DiagnosticGroups(call.notes)
    const store = openStore(call, lost.add)
    const options = {
      projected: call.has('projected'),
      at: readEventOption(call, 'at', () => path),
      redact: call.has('redact'),
      children: !call.has('no-children'),
    }
    const pieces =
      format === 'html'
        ? toPage(call, store, path)
        : format === 'markdown' || format === 'text'
          ? exportSession(store, { path }, { ...options, format })
          : toNdjson(exportRecords(store, { path }, options))
    if (output !== undefined) await write(call, output, pieces)
    else {
      for await (const piece of pieces) {
        await call.output.write(piece)
        // The head of a page is there before a long file is read.
        if (!call.output.hasWritten) await call.output.flush()
      }
    }
    lost.report()
    return EXIT.done
  },
}

function toPage(call: Call, store: StoreContext, path: string): AsyncGenerator<string> {
  const file = join(call.modules.viewerFolder(), 'export.html')
  const template = readSmallText(store, file).toString('utf8')
  const children = !call.has('no-children')
  return exportPage(
    store,
    { path },
    { template, allowSecrets: call.has('allow-secrets'), children },
  )
}

async function write(call: Call, output: string, pieces: AsyncIterable<string>): Promise<void> {
  const path = resolveFile(call, output)
  await withProgress(call, `Writing ${output}`, () =>
    rejectExisting(
      () => writeAtomicFile(path, pieces, call.env, { replace: call.has('force') }),
      '--force replaces it',
    ),
  )
  call.notes.say(`wrote ${output}`)
}
