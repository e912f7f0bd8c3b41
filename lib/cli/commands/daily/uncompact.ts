// Undoes the newest compaction of a session.

import { planUncompact } from '../../../session/index.js'
import { type Call, type Command, DRY_RUN } from '../../command.js'
import { findLog, findSession } from '../../input/target.js'
import { answer, answerDryRun } from '../../output/print.js'
import { plural } from '../../output/units.js'
import { withSession } from '../../with-session.js'

const LESSON = `The model sees again what the summary replaced, and then everything that was said since. Nothing is
deleted: this is a rewind to before the summary, and what came after it is appended again, marked
with copied_from. A rewind to the event that was the newest before undoes it.

A compaction in a session that this one continues cannot be undone here; the message names the
session to fork and the event. To see the size first: \`jsonl-session compact <session> --dry-run\`.

Examples:
  $ jsonl-session uncompact demo
  undid the compaction 5b1c… of demo: 42 messages, 6 events appended again; undo with: rewind …

  $ jsonl-session uncompact demo --dry-run --json
  {"dryRun":true,"sessionId":"demo","boundaryUuid":"5b1c…","targetUuid":"0b0e…","copied":6}

Exit codes:
  0 undone, or shown · 2 wrong use, the compaction is in another session, or failed
  3 no such session, or nothing is compacted · 5 another process has it open
`

export const uncompact: Command = {
  name: 'uncompact',
  summary: 'Undo the newest compaction of a session; nothing is deleted',
  operand: '<session>',
  operandText: 'the session',
  options: [DRY_RUN],
  lesson: LESSON,

  async run(call) {
    if (call.has('dry-run')) return dryRun(call)
    const { fields, sentence } = await withSession(call, async (session) => {
      const before = session.tip
      const { boundaryUuid, rewindUuid, targetUuid, copied } = await session.uncompact()
      const { length: messages } = session.messages().messages
      const { id: sessionId } = session
      const again = `${plural(messages, 'message')}, ${plural(copied, 'event')} appended again`
      const undo = `undo with: rewind ${sessionId} --to ${before}`
      return {
        fields: { sessionId, boundaryUuid, rewindUuid, targetUuid, copied, messages },
        sentence: `undid the compaction ${boundaryUuid} of ${sessionId}: ${again}; ${undo}`,
      }
    })
    return answer(call, fields, sentence)
  },
}

function dryRun(call: Call): Promise<number> {
  const sessionId = findSession(call, call.operands[0]!)
  const planned = planUncompact(call.store, findLog(call, sessionId))
  const { boundaryUuid, copied } = planned
  const again = `append ${plural(copied, 'event')} again`
  const what = `would undo the compaction ${boundaryUuid} of ${sessionId} and ${again}`
  return answerDryRun(call, { sessionId, ...planned }, what)
}
