// A salvaged copy of a damaged log; the log itself is only read.

import { type RepairNote, type RepairReport, repairLog, verifyLog } from '../../../store/index.js'
import { type Command, DRY_RUN, UsageError } from '../../command.js'
import { resolveFile } from '../../input/arguments.js'
import { findLog } from '../../input/target.js'
import { toPlainText } from '../../output/plain-text.js'
import { answerDryRun, printAnswer, rejectExisting } from '../../output/print.js'
import { withProgress } from '../../output/progress.js'
import { plural } from '../../output/units.js'

const LESSON = `Intact lines are copied byte for byte. Concatenated records and records with padding become lines of
their own; a line without checksum gets one; an event that follows a lost one is linked to the one
before it, as readers do. Damaged lines are dropped, and each is named with its bytes in the
original, which is never changed. A line whose checksum is wrong was edited or is damaged: it is
dropped unless --accept-edits says that the edits were intended. An existing output is rejected.

Examples:
  $ jsonl-session repair demo --output demo-repaired.jsonl
  42 read, 41 kept (1 salvaged), 1 dropped: demo-repaired.jsonl
    dropped   line 17, bytes 4096–4179  bad_line: The line is not JSON
    salvaged  line 18, bytes 4181–4420  dangling_prev: It followed "9d1f…", and now follows "0b0e…"

  $ jsonl-session repair demo --accept-edits --output demo-redacted.jsonl --json
  {"path":"…/demo.jsonl","output":"demo-redacted.jsonl","read":42,"kept":42,"salvaged":[…],…}

Exit codes:
  0 the copy is written and verified · 1 it is written, and \`verify\` still has findings
  2 wrong use, the output exists already, or failed · 3 not found
`

export const repair: Command = {
  name: 'repair',
  summary: 'Write a salvaged copy of a damaged log; the original is never touched',
  operand: '<target>',
  operandText: 'a session, or a log file',
  options: [
    { name: 'output', value: 'F', text: 'the new file; required' },
    { name: 'accept-edits', text: 'keep edited lines, with a new checksum' },
    DRY_RUN,
  ],
  lesson: LESSON,

  async run(call) {
    const given = call.value('output')
    if (given === undefined) throw new UsageError('repair needs --output F, the file to write')
    const path = findLog(call, call.operands[0]!)
    const output = resolveFile(call, given)
    const acceptEdits = call.has('accept-edits')
    if (call.has('dry-run')) {
      const { findings } = await withProgress(call, `Reading ${path}`, () =>
        verifyLog(call.store, path),
      )
      const what = `would copy ${path} to ${output}: ${plural(findings.length, 'finding')}`
      return answerDryRun(call, { path, output, findings }, what)
    }
    const { report, findings } = await withProgress(call, `Reading ${path}`, async () => {
      const report = await rejectExisting(
        () => repairLog(call.store, path, { output, acceptEdits }),
        'repair replaces nothing',
      )
      return { report, findings: (await verifyLog(call.store, output)).findings }
    })
    const advice = `\`jsonl-session verify ${output}\` shows what no copy can repair`
    return printAnswer(call, {
      json: { ...report, findings },
      lines: () => toLines(report),
      no: findings.length === 0 ? undefined : advice,
    })
  },
}

function toLines({ read, kept, salvaged, dropped, output, headerCreated }: RepairReport): string[] {
  const counts = `${read} read, ${kept} kept (${salvaged.length} salvaged), ${dropped.length} dropped`
  return [
    `${counts}: ${toPlainText(output)}`,
    ...(headerCreated ? ['  made      a header, because the first one is lost'] : []),
    ...dropped.map((note) => `  dropped   ${toRow(note)}`),
    ...salvaged.map((note) => `  salvaged  ${toRow(note)}`),
  ]
}

function toRow({ lineNumber, byteOffset, length, reasons, message }: RepairNote): string {
  const line = lineNumber === undefined ? '' : `line ${lineNumber}, `
  const last = byteOffset + Math.max(length - 1, 0)
  return `${line}bytes ${byteOffset}–${last}  ${reasons.join(', ')}: ${toPlainText(message)}`
}
