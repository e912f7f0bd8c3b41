// Transcripts of other programs become sessions.

import type { ImportOptions } from '../../session/index.js'
import { oneOf, storeOptionsOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'
import type { FileReport } from '../import-files.js'
import { toPlainText } from '../plain-text.js'

const LESSON = `Reads transcripts of Claude Code, Codex, pi and Gemini CLI and writes each as a session, which can
be listed, searched and resumed like any other. An export of ours becomes the session that it
was. Sources are only read. What is not taken over is
counted and named: permission modes, approvals and sandbox policies never are. The same file again
imports nothing, a grown one the rest, and one whose past has changed is refused.
Without a path it shows what lies at the known places of each program; --all imports all of it.

Examples:
  $ jsonl-session import ~/.claude/projects/-home-ada-app/0b0e7a52.jsonl
  imported 0b0e7a52 from claude-code: 214 lines, 209 events
    dropped 3: permission modes, approvals and sandbox policies are never stored

  $ jsonl-session import --all --dry-run --json
  [{"path":"…","format":"codex","session_id":"…","lines":80,"events":77,"dropped":{},…}]

Exit codes:
  0 imported, or shown · 1 nothing to do · 2 wrong use, refused, or failed · 3 not found
`

export const importCommand: Command = {
  name: 'import',
  summary: 'Bring transcripts of other programs into the store',
  operand: '[path...]',
  operandText: 'files, or folders with transcripts in them',
  options: [
    {
      name: 'from',
      value: 'F',
      text: 'auto, claude-code, codex, pi, gemini or jsonl-session (default: auto)',
    },
    { name: 'all', text: 'everything at the known places of each program' },
    { name: 'dry-run', text: 'write nothing, and tell what would be done' },
    { name: 'keep-source', text: 'leave a copy of each source in the store' },
  ],
  lesson: LESSON,

  async run(call) {
    const { IMPORTERS } = await import('../../importers/index.js')
    const { listForeignFiles, listForeignPlaces } = await import('../../store/index.js')
    const formats = ['auto', ...IMPORTERS.map(({ format }) => format), 'jsonl-session']
    const from = oneOf(call, 'from', formats)
    if (call.has('all') && call.operands.length > 0) {
      throw new UsageError('--all and a path do not go together')
    }
    const isNamed = call.operands.length > 0
    const places = isNamed ? [] : listForeignPlaces(call.io.env)
    const wanted = places.filter(
      ({ format }) => from === undefined || from === 'auto' || format === from,
    )
    if (!isNamed && !call.has('all')) return showPlaces(call, wanted)
    const files = isNamed
      ? call.operands.flatMap(listForeignFiles)
      : wanted.flatMap((place) => place.files)
    if (files.length === 0) tellNone(call)
    const { importFiles } = await import('../import-files.js')
    const reports = await importFiles(call, files, optionsOf(call, from))
    return print(call, reports)
  },
}

function optionsOf(call: Call, from: string | undefined): ImportOptions {
  return {
    ...storeOptionsOf(call),
    from,
    dryRun: call.has('dry-run'),
    keepSource: call.has('keep-source'),
    onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
  }
}

async function showPlaces(
  call: Call,
  places: readonly { format: string; folder: string; files: readonly string[] }[],
): Promise<number> {
  if (call.has('json')) await call.output.write(`${JSON.stringify(places)}\n`)
  else {
    for (const { format, folder, files } of places) {
      await call.output.write(`${format}\t${files.length}\t${toPlainText(folder)}\n`)
    }
  }
  if (places.length === 0) tellNone(call)
  else call.notes.say('import all of them with --all, or name a path')
  return places.length === 0 ? EXIT.no : EXIT.done
}

function tellNone({ notes, operands }: Call): void {
  if (operands.length === 0) notes.say('no transcripts at the known places; name a path')
  else notes.say(`no transcripts in ${toPlainText(operands.join(', '))}`)
}

async function print(call: Call, reports: readonly FileReport[]): Promise<number> {
  if (call.has('json')) await call.output.write(`${JSON.stringify(reports)}\n`)
  else {
    const { reportText } = await import('../import-text.js')
    const isDry = call.has('dry-run')
    for (const report of reports) await call.output.write(reportText(report, { isDry }))
  }
  const { exitCodeOfReports } = await import('../import-files.js')
  return exitCodeOfReports(reports)
}
