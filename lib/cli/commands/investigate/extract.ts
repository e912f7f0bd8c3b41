// What was said since the last extraction, for scripts that process long sessions.

import { extractDelta } from '../../../session/index.js'
import type { Command } from '../../command.js'
import { readNumber } from '../../input/arguments.js'
import { findClaimedSession } from '../../input/target.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainLines } from '../../output/plain-text.js'
import { printJson, printLines } from '../../output/print.js'

const LESSON = `Prints the messages since the last extraction, and records them as extracted once the reader of the
output has taken all of it; if the reader closes the pipe, the next call prints the same. --dry-run
(or --no-commit) records nothing. When hasMore is true, call again for the rest.

Examples:
  $ jsonl-session extract demo
  User: rename the config key
  Assistant: Done, in 2 files.

  $ jsonl-session extract demo --json
  {"queued":true,"jobId":"0b0e7a52-…","sessionId":"demo","text":"User: …","hasMore":false,…}

Nothing to print is {"skipped":true,"reason":"too_short"}; other reasons are no_transcript and
bypassed.

Exit codes:
  0 extracted · 1 nothing to print · 2 wrong use, or failed
`

export const extract: Command = {
  name: 'extract',
  summary: 'Print what was said in a session since the last extraction',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'no-commit', text: 'record nothing: the next call prints the same' },
    { name: 'dry-run', text: 'as --no-commit' },
    {
      name: 'min-chars',
      value: 'N',
      text: 'print nothing if there is less than this (default: 500)',
    },
    { name: 'max-chars', value: 'N', text: 'print at most this many (default: 100000)' },
  ],
  lesson: LESSON,

  async run(call) {
    const delta = await extractDelta(call.store, findClaimedSession(call, call.operands[0]!), {
      minChars: readNumber(call, 'min-chars'),
      maxChars: readNumber(call, 'max-chars'),
    })
    if ('skipped' in delta) {
      const { reason } = delta
      if (call.has('json')) await printJson(call, { skipped: true, reason })
      call.notes.say(`nothing extracted: ${reason.replace('_', ' ')}`)
      return EXIT.no
    }
    const { commit, ...fields } = delta
    if (call.has('json')) await printJson(call, { queued: true, ...fields })
    else await printLines(call, toPlainLines(delta.text))
    // Only what has left this process counts as extracted.
    await call.output.flush()
    if (call.has('no-commit') || call.has('dry-run')) return EXIT.done
    await commit()
    if (delta.hasMore) call.notes.say('There is more: run the command again')
    return EXIT.done
  },
}
