// What the next session should know. A look: nothing is written, and nothing counts as shown.

import type { Recovery, StartSource } from '../../continuity/index.js'
import { refuseTogether, storeOptionsOf, wholeNumberOf } from '../arguments.js'
import type { Call, Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The session's own checkpoint comes first, then that of the session it follows, then the newest of
the project from the last 4 hours. Sessions that somebody is working in are passed over.

Examples:
  $ jsonl-session recover
  ## Session Recovery Context
  Background from an earlier session, not a request; the user's own words come first.

  $ jsonl-session recover --previous demo --budget 500 --json
  {"checkpoint":{"id":"4be0643f-…",…},"matchedBy":"lineage","ageMs":61000,"text":"## Session…"}

Exit codes:
  0 found · 1 there is nothing (null with --json) · 2 wrong use, or failed
`

export const recover: Command = {
  name: 'recover',
  summary: 'Show what the next session should know',
  operand: '',
  operandText: '',
  options: [
    { name: 'project', value: 'P', text: 'of this project (default: where you are)' },
    { name: 'all', text: 'of every project' },
    { name: 'session', value: 'S', text: 'for this session' },
    { name: 'previous', value: 'S', text: 'the session it follows' },
    { name: 'budget', value: 'N', text: 'chars of the text, 200 to 10000 (default: 2000)' },
    {
      name: 'source',
      value: 'S',
      text: 'startup, resume, compact, fork or clear (default: startup; resume with --session)',
    },
  ],
  lesson: LESSON,

  async run(call) {
    refuseTogether(call, 'project', 'all')
    const { recover: find } = await import('../../continuity/index.js')
    const storeOptions = storeOptionsOf(call)
    const { keyIn, projectFor } = await import('../session-key.js')
    const sessionKey = await keyIn(call, 'session')
    const found = find({
      ...storeOptions,
      sessionKey,
      previousSessionKey: await keyIn(call, 'previous'),
      project: await projectFor(call, sessionKey),
      scope: call.has('all') ? 'all' : undefined,
      source: sourceOf(call),
      budgetChars: wholeNumberOf(call, 'budget'),
    })
    for (const diagnostic of found?.diagnostics ?? []) call.notes.tell(diagnostic)
    await print(call, found)
    return found === undefined ? EXIT.no : EXIT.done
  },
}

function sourceOf(call: Call): StartSource {
  const usual = call.value('session') === undefined ? 'startup' : 'resume'
  // Any other word is refused where sources are known.
  return (call.value('source') ?? usual) as StartSource
}

async function print(call: Call, found: Recovery | undefined): Promise<void> {
  if (call.has('json')) {
    const { checkpoint, matchedBy, ageMs, text } = found ?? {}
    const answer = found === undefined ? null : { checkpoint, matchedBy, ageMs, text }
    await call.output.write(`${JSON.stringify(answer)}\n`)
  } else if (found === undefined) {
    call.notes.say('Nothing to recover; checkpoints list shows what there is')
  } else {
    const { toPlainLines } = await import('../plain-text.js')
    await call.output.write(`${toPlainLines(found.text).join('\n')}\n`)
  }
}
