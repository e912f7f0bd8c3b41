// What was said since the last time, for scripts that digest long sessions.

import type { ExtractedDelta, SkippedDelta } from '../../session/index.js'
import { storeOptionsOf, wholeNumberOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Prints what the two said since the last extraction, and remembers it as handed out once all of it
was taken by whoever reads the output; if that one goes away, the same comes again next time.
--no-commit only looks. When hasMore is true there is more than fitted: call again.

Examples:
  $ jsonl-session extract demo
  User: rename the config key
  Assistant: Done, in 2 files.

  $ jsonl-session extract demo --json
  {"queued":true,"jobId":"0b0e7a52-…","sessionKey":"demo","text":"User: …","hasMore":false,…}

Nothing to do is {"skipped":true,"reason":"too_short"}; other reasons are no_transcript and
bypassed.

Exit codes:
  0 extracted · 1 nothing to do · 2 wrong use, or failed
`

export const extract: Command = {
  name: 'extract',
  summary: 'Print what was said in a session since the last extraction',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'no-commit', text: 'only look: the same is printed again next time' },
    { name: 'min-chars', value: 'N', text: 'leave less than this for next time (default: 500)' },
    { name: 'max-chars', value: 'N', text: 'at most so much at a time (default: 100000)' },
  ],
  lesson: LESSON,

  async run(call) {
    const { sessionOf } = await import('../target.js')
    const { extractDelta } = await import('../../session/index.js')
    const options = storeOptionsOf(call)
    const delta = await extractDelta(await sessionOf(call.operands[0]!, options), {
      ...options,
      minChars: wholeNumberOf(call, 'min-chars'),
      maxChars: wholeNumberOf(call, 'max-chars'),
      onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
    })
    return 'skipped' in delta ? skip(call, delta) : print(call, delta)
  },
}

async function skip(call: Call, { reason }: SkippedDelta): Promise<number> {
  if (call.has('json')) await call.output.write(`${JSON.stringify({ skipped: true, reason })}\n`)
  call.notes.say(`nothing extracted: ${reason.replace('_', ' ')}`)
  return EXIT.no
}

async function print(call: Call, delta: ExtractedDelta): Promise<number> {
  const { commit, ...fields } = delta
  const { toPlainLines } = await import('../plain-text.js')
  const text = call.has('json')
    ? JSON.stringify({ queued: true, ...fields })
    : toPlainLines(delta.text).join('\n')
  await call.output.write(`${text}\n`)
  // Only what has left this process is handed out.
  await call.output.flush()
  if (call.has('no-commit')) return EXIT.done
  await commit()
  if (delta.hasMore) call.notes.say('there is more: call again')
  return EXIT.done
}
