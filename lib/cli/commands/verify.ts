// Is it whole? Reads, reports, and changes nothing.

import type { StoreOptions, VerifyReport } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'

const LESSON = `Every line, every checksum, every link and every payload is looked at. Nothing is changed.

Examples:
  $ jsonl-session verify demo
  ok  /home/ada/.jsonl-session/.transcripts/demo.jsonl  2 events, all reachable

  $ jsonl-session verify old.jsonl
  2 findings  old.jsonl  41 events, all reachable
    bad_line (1)
      line 17, bytes 4096–4179: The line is not JSON
    dangling_prev (1)
      line 18, byte 4181: It follows "9d1f…", which is not in the log before it  0b0e…

Exit codes:
  0 no findings · 1 findings, or nothing to check · 2 wrong use, or a file could not be read
  3 not found
`

export const verify: Command = {
  name: 'verify',
  summary: 'Check logs for damage, broken chains and bad events; reads only',
  operand: '[target...]',
  operandText: 'sessions or log files',
  options: [
    { name: 'all', text: 'every transcript of the store' },
    { name: 'project', value: 'P', text: 'with --all: only sessions of this project' },
  ],
  lesson: LESSON,

  async run(call) {
    const isJson = call.has('json')
    const { reports, exitCode } = await verifyEach(call, isJson)
    if (isJson) await call.output.write(`${JSON.stringify(reports)}\n`)
    else await tellAdvice(call, reports)
    return exitCode
  },
}

async function verifyEach(call: Call, isJson: boolean) {
  const { reportText } = await import('../verify-text.js')
  const { colorsOf } = await import('../colors.js')
  const colors = colorsOf(call)
  const reports: VerifyReport[] = []
  const targets = await targetsOf(call)
  // Nothing to check is not the same as nothing wrong: a mistyped root must not pass for health.
  const exitCodes: number[] = targets.length === 0 ? [1] : []
  for (const target of targets) {
    const report = await verifyOne(call, target)
    if (typeof report === 'number') {
      exitCodes.push(report)
      continue
    }
    reports.push(report)
    if (report.findings.length > 0) exitCodes.push(1)
    if (isJson) continue
    await call.output.write(reportText(report, colors))
    await call.output.flush()
  }
  return { reports, exitCode: worstOf(exitCodes) }
}

/** The report, or the exit code of an error: one file that cannot be read stops no other. */
async function verifyOne(call: Call, target: string): Promise<VerifyReport | number> {
  const { pathOf } = await import('../target.js')
  const { verifyLog } = await import('../../store/index.js')
  const { withProgress } = await import('../progress.js')
  try {
    const path = await pathOf(target, storeOptionsOf(call))
    return await withProgress(call.notes, `Reading ${path}`, () => verifyLog(path))
  } catch (error) {
    const { reportError } = await import('../report-error.js')
    return reportError(error, { io: call.io, isJson: call.has('json'), commandName: 'verify' })
  }
}

async function targetsOf(call: Call): Promise<readonly string[]> {
  const { operands } = call
  const project = call.value('project')
  if (!call.has('all')) {
    if (project !== undefined) throw new UsageError('--project goes with --all')
    if (operands.length > 0) return operands
    throw new UsageError('verify needs a session, a file, or --all')
  }
  if (operands.length > 0) throw new UsageError('--all and targets do not go together')
  const { layoutOf, listTranscripts } = await import('../../store/index.js')
  const storeOptions = storeOptionsOf(call)
  const paths =
    project === undefined ? listTranscripts(storeOptions) : await pathsOf(project, storeOptions)
  const whose = project === undefined ? '' : ` of ${project}`
  if (paths.length === 0) {
    call.notes.say(`No transcripts${whose} in ${layoutOf(storeOptions).transcripts}`)
  }
  return paths
}

/** Of a file that cannot be looked into nobody knows whose it is, so it is checked as well. */
async function pathsOf(project: string, store: StoreOptions): Promise<readonly string[]> {
  const { listHeaders } = await import('../../store/index.js')
  const { sessions, skipped } = listHeaders({ ...store, project })
  return [...sessions, ...skipped].map(({ path }) => path).sort()
}

// A file that could not be read matters more than one that is not there, and that more than
// findings: of what was not read, nothing is known.
function worstOf(exitCodes: readonly number[]): number {
  return [2, 3, 1].find((exitCode) => exitCodes.includes(exitCode)) ?? 0
}

async function tellAdvice(call: Call, reports: readonly VerifyReport[]): Promise<void> {
  const { adviceFor } = await import('../verify-text.js')
  for (const advice of adviceFor(reports)) call.notes.say(advice)
}
