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
import { highlight } from '../../output/highlight.js'
import { clip, toPlainText, widthOfText } from '../../output/plain-text.js'
import { type Skipped, toSkippedNote } from '../../output/print.js'
import { withProgress } from '../../output/progress.js'
import { shortIdOf } from '../../output/short-id.js'
import { timeOf } from '../../print/conversation.js'

const LESSON = `Searches every string of the payloads, decoded: write quotes, newlines, é and 漢 as they are. A
pattern without special characters is a text; any other is a regular expression of RE2, which takes
linear time. --raw also searches field names, numbers and the envelope. A damaged line is matched as
it is on disk and marked. TIME is 2026-01-31, or a time of that day like 2026-01-31T12:00:00Z, or
90m, 2h, 3d ago. docs/POST-MORTEM.md has recipes.

A row is: path:line: session id @byte+length time type text. The id is what view --at and the other
commands take. Lines are for editors and sed -n 41p, bytes for tail -c +20372 FILE | head -c 212,
which is one more than the byte. A terminal shows file and session once, and colours the matches.

Examples:
  $ jsonl-session grep 'port in use' --errors
  /home/ada/.jsonl-session/.transcripts/demo.jsonl:41: demo 0b0e7a52-7d8c-… @20371+212 2026-01-3…

  $ jsonl-session grep -m 1 -A 2 'port in use' demo --json
  {"sessionId":"demo","path":"…","lineNumber":41,…,"uuid":"0b0e7a52-…","snippet":"…","matches":[…]}

Exit codes:
  0 found · 1 nothing was found · 2 wrong use, or a file could not be read · 3 no such session
`

const CONTEXTS = ['context', 'before-context', 'after-context']

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
    { name: 'ignore-case', short: 'i', text: 'ignore case' },
    { name: 'fixed-strings', short: 'F', text: 'the pattern is plain text' },
    { name: 'extended-regexp', short: 'E', text: 'the pattern is a regular expression' },
    { name: 'invert-match', short: 'v', text: 'the events that do not match' },
    { name: 'max-count', short: 'm', value: 'N', text: 'at most N matches of each file' },
    { name: 'after-context', short: 'A', value: 'N', text: 'also N events after each match' },
    { name: 'before-context', short: 'B', value: 'N', text: 'also N events before each match' },
    { name: 'context', short: 'C', value: 'N', text: 'also N events before and after each match' },
    { name: 'line-number', short: 'n', text: 'print line numbers; every row has one anyway' },
    { name: 'count', short: 'c', text: 'print the number of matches of each file that has any' },
    { name: 'files-with-matches', short: 'l', text: 'print only the names of files' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    rejectTogether(call, 'fixed-strings', 'extended-regexp')
    for (const name of CONTEXTS) rejectTogether(call, 'count', 'files-with-matches', name)
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
      invert: call.has('invert-match'),
      context: readNumber(call, 'context'),
      before: readNumber(call, 'before-context'),
      after: readNumber(call, 'after-context'),
      limitPerFile: call.has('files-with-matches') ? 1 : readNumber(call, 'max-count'),
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
  const isGrouped = CONTEXTS.some((name) => call.value(name) !== undefined)
  let count = 0
  let last: GrepHit | undefined
  for await (const hit of hits) {
    if (isJson) await output.write(`${JSON.stringify(hit)}\n`)
    else {
      const isSameFile = hit.path === last?.path
      if (output.isTerminal && !isSameFile) await output.write(headingOf(hit, colors, !last))
      // As grep: what is not next to each other is apart.
      else if (isGrouped && last !== undefined && !isNext(hit, last)) await output.write('--\n')
      await output.write(`${rowOf(hit, { colors, columns: output.columns })}\n`)
    }
    last = hit
    if (!hit.context) count++
  }
  return count
}

function isNext(hit: GrepHit, last: GrepHit): boolean {
  return hit.path === last.path && hit.lineNumber <= last.lineNumber + 1
}

function headingOf({ path, sessionId }: GrepHit, colors: Colors, isFirst: boolean): string {
  return `${isFirst ? '' : '\n'}${colors.bold(toPlainText(path))}  ${toPlainText(sessionId)}\n`
}

/** On a terminal (`columns`) the file and the session are in the heading, and bytes are of no use. */
function rowOf(hit: GrepHit, { colors, columns }: RowOptions): string {
  const { lineNumber, byteOffset, length, ts, uuid, type, damage, snippet, matches = [] } = hit
  // A colon for a match, as in grep; a dash for its context.
  const separator = hit.context ? '-' : ':'
  const what = damage === undefined ? toPlainText(type ?? '-') : `DAMAGED (${damage})`
  const isNarrow = columns !== undefined
  const id = uuid === null ? '-' : toPlainText(isNarrow ? shortIdOf(uuid) : uuid)
  const lead = isNarrow
    ? `${lineNumber}${separator} ${id} ${timeOf(ts)} ${what}  `
    : `${toPlainText(hit.path)}${separator}${lineNumber}${separator} ${toPlainText(hit.sessionId)} ${id} @${byteOffset}+${length} ${ts ?? '-'} ${what}  `
  const shown = isNarrow ? clip(lead, columns) : lead
  const paint = (text: string) => colors.bold(colors.red(text))
  const left = isNarrow ? columns - widthOfText(shown) : undefined
  return `${shown}${highlight(snippet, matches, { columns: left, paint })}`.trimEnd()
}

interface RowOptions {
  readonly colors: Colors
  readonly columns: number | undefined
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
