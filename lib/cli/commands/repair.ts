// A salvaged copy of a damaged log; the log itself is only read.

import type { RepairNote, RepairReport } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Lines that are whole are copied byte for byte. Records that ran together, or have padding around
them, become lines of their own; a line without checksum gets one; an event that follows a lost one
follows the one before it, as readers take it. Damaged lines are left out, and each is named with
its bytes in the original, which is never changed. A line whose checksum is wrong was edited, or
rotted: it is left out unless --accept-edits says that the edits were honest. An output that is
there already is refused.

Examples:
  $ jsonl-session repair demo --output demo-repaired.jsonl
  42 read, 41 kept (1 salvaged), 1 dropped: demo-repaired.jsonl
    dropped   line 17, bytes 4096–4179  bad_line: The line is not JSON
    salvaged  line 18, bytes 4181–4420  dangling_prev: It followed "9d1f…", and follows "0b0e…" now

  $ jsonl-session repair demo --accept-edits --output demo-redacted.jsonl --json
  {"path":"…/demo.jsonl","output":"demo-redacted.jsonl","read":42,"kept":42,"salvaged":[…],…}

Exit codes:
  0 the copy is written and verified · 1 it is written, and \`verify\` still has findings
  2 wrong use, the output is there already, or failed · 3 not found
`

export const repair: Command = {
  name: 'repair',
  summary: 'Write a salvaged copy of a damaged log; the original is never touched',
  operand: '<target>',
  operandText: 'a session, or a log file',
  options: [
    { name: 'output', value: 'F', text: 'the new file; required' },
    { name: 'accept-edits', text: 'keep lines that were edited, and seal them again' },
  ],
  lesson: LESSON,

  async run(call) {
    const output = call.value('output')
    if (output === undefined) throw new UsageError('repair needs --output F, the file to write')
    const { pathOf } = await import('../target.js')
    const { repairLog, verifyLog } = await import('../../store/index.js')
    const { refusingExisting } = await import('../output-file.js')
    const { withProgress } = await import('../progress.js')
    const path = await pathOf(call.operands[0]!, storeOptionsOf(call))
    const acceptEdits = call.has('accept-edits')
    const { report, findings } = await withProgress(call.notes, `Reading ${path}`, async () => {
      const report = await refusingExisting(
        () => repairLog(path, { output, acceptEdits }),
        'repair replaces nothing',
      )
      return { report, findings: (await verifyLog(output)).findings }
    })
    if (call.has('json')) await call.output.write(`${JSON.stringify({ ...report, findings })}\n`)
    else await printReport(call, report)
    if (findings.length === 0) return EXIT.done
    call.notes.say(`\`jsonl-session verify ${output}\` tells what no copy can mend`)
    return EXIT.no
  },
}

async function printReport(call: Call, report: RepairReport): Promise<void> {
  const { toPlainText } = await import('../plain-text.js')
  const { read, kept, salvaged, dropped, output, isHeaderMade } = report
  const counts = `${read} read, ${kept} kept (${salvaged.length} salvaged), ${dropped.length} dropped`
  const rows = [
    `${counts}: ${toPlainText(output)}`,
    ...(isHeaderMade ? ['  made      a header, because the first one is lost'] : []),
    ...dropped.map((note) => `  dropped   ${rowOf(note)}`),
    ...salvaged.map((note) => `  salvaged  ${rowOf(note)}`),
  ]
  await call.output.write(rows.map((row) => `${row}\n`).join(''))

  function rowOf({ line_number, byte_offset, length, reasons, message }: RepairNote): string {
    const line = line_number === undefined ? '' : `line ${line_number}, `
    const last = byte_offset + Math.max(length - 1, 0)
    return `${line}bytes ${byte_offset}–${last}  ${reasons.join(', ')}: ${toPlainText(message)}`
  }
}
