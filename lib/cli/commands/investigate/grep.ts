// Events by their content, with their offsets.

import { PAYLOAD_SHAPES } from '../../../format/index.js'
import { type GrepHit, type GrepOptions, grepStore } from '../../../store/index.js'
import type { Call, Command } from '../../command.js'
import {
  readNumber,
  readTime,
  readWords,
  rejectTogether,
  resolveFile,
} from '../../input/arguments.js'
import { findSession, isFile } from '../../input/target.js'
import { type Colors, colorsOf } from '../../output/colors.js'
import { EXIT } from '../../output/exit-codes.js'
import { clip, toPlainText } from '../../output/plain-text.js'
import { type Skipped, toSkippedNote } from '../../output/print.js'
import { withProgress } from '../../output/progress.js'

const LESSON = `Searches every string of the payloads, decoded: write quotes, newlines, é and 漢 as they are. A
pattern without special characters is a text; any other is a regular expression of RE2, which takes
linear time. --raw also searches field names, numbers and the envelope. A damaged line is matched as
it is on disk and marked. TIME is 2026-01-31, or a time of that day like 2026-01-31T12:00:00Z, or
90m, 2h, 3d ago. docs/POST-MORTEM.md has recipes.

A row is: path:line: session @byte+length time type text. Lines are for editors and sed -n 41p,
bytes for tail -c +20372 FILE | head -c 212, which is one more than the byte.

Examples:
  $ jsonl-session grep 'port in use' --errors
  /home/ada/.jsonl-session/.transcripts/demo.jsonl:41: demo @20371+212 2026-01-31T12:00:05.000Z …

  $ jsonl-session grep '' --tool Bash --since 1d --json
  {"sessionId":"demo","path":"…","lineNumber":41,"byteOffset":20371,…,"snippet":"…"}

Exit codes:
  0 found · 1 nothing was found · 2 wrong use, or a file could not be read · 3 no such session
`

export const grep: Command = {
  name: 'grep',
  summary: 'Find events by their content, with their offsets',
  operand: '<pattern> [target...]',
  operandText: ['a text, or a regular expression', 'sessions and files (default: the whole store)'],
  options: [
    {
      name: 'type',
      value: 'T',
      text: 'only events of this type, or of several: user,assistant',
      values: [...PAYLOAD_SHAPES.keys()],
      isOpen: true,
      isList: true,
    },
    {
      name: 'role',
      value: 'R',
      text: 'only messages of this role: user, assistant, tool, system',
      values: ['user', 'assistant', 'tool', 'system'],
    },
    { name: 'tool', value: 'N', text: 'only calls of this tool, and their results' },
    { name: 'project', value: 'P', text: 'only sessions of this project' },
    { name: 'since', value: 'TIME', text: 'only events of this time or later' },
    { name: 'until', value: 'TIME', text: 'only events before this time' },
    { name: 'errors', text: 'only failures of tools and subagents' },
    { name: 'sidechains', text: 'also the logs of subagents' },
    { name: 'raw', text: 'match lines as they are on disk' },
    { name: 'ignore-case', short: 'i', text: 'ignore the case of letters' },
    { name: 'fixed-strings', short: 'F', text: 'the pattern is a text' },
    { name: 'extended-regexp', short: 'E', text: 'the pattern is a regular expression' },
    { name: 'context', short: 'C', value: 'N', text: 'also N entries before and after' },
    { name: 'count', short: 'c', text: 'print how many per file, for files that have any' },
    { name: 'files-with-matches', short: 'l', text: 'print only the names of files' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    rejectTogether(call, 'fixed-strings', 'extended-regexp')
    rejectTogether(call, 'count', 'files-with-matches', 'context')
    const [pattern, ...targets] = call.operands
    const files = targets.filter((target) => isFile(call, target))
    return printHits(call, {
      pattern: pattern!,
      ...(targets.length > 0 && {
        sessions: targets
          .filter((target) => !files.includes(target))
          .map((target) => findSession(call, target)),
        files: files.map((file) => resolveFile(call, file)),
      }),
      types: readWords(call, 'type'),
      role: call.value('role'),
      tool: call.value('tool'),
      project: call.value('project'),
      since: readTime(call, 'since'),
      until: readTime(call, 'until'),
      errors: call.has('errors'),
      sidechains: call.has('sidechains'),
      raw: call.has('raw'),
      ignoreCase: call.has('ignore-case'),
      syntax: readSyntax(call),
      context: readNumber(call, 'context'),
      limitPerFile: call.has('files-with-matches') ? 1 : undefined,
    })
  },
}

function readSyntax(call: Call): 'literal' | 'regex' | 'auto' {
  if (call.has('fixed-strings')) return 'literal'
  return call.has('extended-regexp') ? 'regex' : 'auto'
}

async function printHits(call: Call, options: GrepOptions): Promise<number> {
  const skipped: Skipped[] = []
  const hits = grepStore(call.store, { ...options, onSkipped: (one) => skipped.push(one) })
  const print = call.has('count') || call.has('files-with-matches') ? printFiles : printRows
  const count = await withProgress(call, 'Searching', () => print(call, hits))
  await call.output.flush()
  for (const one of skipped) call.notes.say(toSkippedNote(one))
  if (skipped.length > 0) return EXIT.failed
  return count > 0 ? EXIT.done : EXIT.no
}

async function printRows(call: Call, hits: AsyncIterable<GrepHit>): Promise<number> {
  const { output } = call
  const colors = colorsOf(call)
  const isJson = call.has('json')
  let count = 0
  let lastPath = ''
  for await (const hit of hits) {
    if (isJson) await output.write(`${JSON.stringify(hit)}\n`)
    else if (output.isTerminal) {
      if (hit.path !== lastPath) await output.write(headingOf(hit, colors, lastPath === ''))
      await output.write(`${clip(rowOf(hit), output.columns ?? 80)}\n`)
    } else
      await output.write(
        `${toPlainText(hit.path)}${separatorOf(hit)}${rowOf(hit, hit.sessionId)}\n`,
      )
    lastPath = hit.path
    if (!hit.context) count++
  }
  return count
}

function headingOf({ path, sessionId }: GrepHit, colors: Colors, isFirst: boolean): string {
  return `${isFirst ? '' : '\n'}${colors.bold(toPlainText(path))}  ${toPlainText(sessionId)}\n`
}

/** A colon for a match, as in grep; a dash for its context. */
function separatorOf({ context }: GrepHit): string {
  return context ? '-' : ':'
}

/** On a terminal the session is in the heading. */
function rowOf(hit: GrepHit, session?: string): string {
  const { lineNumber, byteOffset, length, ts, type, damage, snippet } = hit
  const what = damage === undefined ? toPlainText(type ?? '-') : `DAMAGED (${damage})`
  const whose = session === undefined ? '' : `${toPlainText(session)} `
  const place = `${lineNumber}${separatorOf(hit)} ${whose}@${byteOffset}+${length}`
  return `${place} ${ts ?? '-'} ${what}  ${toPlainText(snippet)}`.trimEnd()
}

/** One row for each file that has any. */
async function printFiles(call: Call, hits: AsyncIterable<GrepHit>): Promise<number> {
  let current: GrepHit | undefined
  let count = 0
  let total = 0
  const printRow = async () => {
    if (current === undefined) return
    const { sessionId, path } = current
    const counted = call.has('count')
    const row = call.has('json')
      ? JSON.stringify({ sessionId, path, ...(counted && { count }) })
      : `${toPlainText(path)}${counted ? `:${count}` : ''}`
    await call.output.write(`${row}\n`)
  }
  for await (const hit of hits) {
    if (hit.path !== current?.path) {
      await printRow()
      current = hit
      count = 0
    }
    count++
    total++
  }
  await printRow()
  return total
}
