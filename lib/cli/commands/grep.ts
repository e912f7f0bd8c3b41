// Events by what they say, with the place where they stand.

import { momentOf, refuseTogether, storeOptionsOf, wholeNumberOf, wordsOf } from '../arguments.js'
import type { Call, Command } from '../command.js'

const LESSON = `Looks through every string of the payloads, decoded: quotes, newlines, é and 漢 are written as they
are meant. A pattern without special characters is a text; any other is a regular expression of
RE2, which takes linear time whatever it says. Field names, numbers and the envelope: --raw. A
damaged line is matched as it lies there, and says so. TIME is 2026-01-31, or a time of that day
like 2026-01-31T12:00:00Z, or 90m, 2h, 3d ago. docs/POST-MORTEM.md has recipes.

A row is: path:line: session @byte+length time type text. Lines are for editors and sed -n 41p,
bytes for tail -c +20372 FILE | head -c 212, which is one more than the byte.

Examples:
  $ jsonl-session grep 'port in use' --errors
  /home/ada/.jsonl-session/.transcripts/demo.jsonl:41: demo @20371+212 2026-01-31T12:00:05.000Z …

  $ jsonl-session grep '' --tool Bash --since 1d --json
  {"session_id":"demo","path":"…","line_number":41,"byte_offset":20371,…,"snippet":"…"}

Exit codes:
  0 found · 1 nothing was found · 2 wrong use, or a file could not be read · 3 no such session
`

export const grep: Command = {
  name: 'grep',
  summary: 'Find events by what they say, with their places',
  operand: '<pattern> [target...]',
  operandText: ['a text, or a regular expression', 'sessions and files (default: the whole store)'],
  options: [
    { name: 'type', value: 'T', text: 'only events of this type, or of several: user,assistant' },
    { name: 'role', value: 'R', text: 'only what this one said: user, assistant, tool, system' },
    { name: 'tool', value: 'N', text: 'only calls of this tool, and their results' },
    { name: 'project', value: 'P', text: 'only sessions of this project' },
    { name: 'since', value: 'TIME', text: 'only events of this time or later' },
    { name: 'until', value: 'TIME', text: 'only events before this time' },
    { name: 'errors', text: 'only failures of tools and subagents' },
    { name: 'sidechains', text: 'also the logs of subagents' },
    { name: 'raw', text: 'match lines as they lie on the disk' },
    { name: 'ignore-case', short: 'i', text: 'whatever the case of letters' },
    { name: 'fixed-strings', short: 'F', text: 'the pattern is a text' },
    { name: 'extended-regexp', short: 'E', text: 'the pattern is a regular expression' },
    { name: 'context', short: 'C', value: 'N', text: 'also N entries before and after' },
    { name: 'count', short: 'c', text: 'print how many per file, for files that have any' },
    { name: 'files-with-matches', short: 'l', text: 'print only the names of files' },
  ],
  lesson: LESSON,
  isPaged: true,

  async run(call) {
    refuseTogether(call, 'fixed-strings', 'extended-regexp')
    refuseTogether(call, 'count', 'files-with-matches')
    for (const whole of ['count', 'files-with-matches']) refuseTogether(call, whole, 'context')
    const { isFile } = await import('../target.js')
    const { printHits } = await import('../print-hits.js')
    const [pattern, ...targets] = call.operands
    const now = Date.now()
    const storeOptions = storeOptionsOf(call)
    const isOneFile = (target: string) => isFile(target, storeOptions)
    return printHits(call, {
      ...storeOptions,
      pattern: pattern!,
      ...(targets.length === 0
        ? {}
        : {
            sessions: targets.filter((target) => !isOneFile(target)),
            files: targets.filter(isOneFile),
          }),
      types: wordsOf(call, 'type'),
      role: call.value('role'),
      tool: call.value('tool'),
      project: call.value('project'),
      since: momentOf(call, 'since', now),
      until: momentOf(call, 'until', now),
      errors: call.has('errors'),
      sidechains: call.has('sidechains'),
      raw: call.has('raw'),
      ignoreCase: call.has('ignore-case'),
      syntax: syntaxOf(call),
      context: wholeNumberOf(call, 'context'),
      limitPerFile: call.has('files-with-matches') ? 1 : undefined,
    })
  },
}

function syntaxOf(call: Call): 'literal' | 'regex' | 'auto' {
  if (call.has('fixed-strings')) return 'literal'
  return call.has('extended-regexp') ? 'regex' : 'auto'
}
