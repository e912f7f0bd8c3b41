// One event into a session, from a script or a shell.

import { append_transcript } from '../../session/index.js'
import { layoutOf, workingFolder } from '../../store/index.js'
import { storeOptionsOf } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { payloadOf } from '../payload.js'

const LESSON = `The event follows the newest one of the session unless --prev says otherwise. Appending the same
--uuid again writes nothing, so a script that is not sure may simply try again; that is promised
for events in the last 256 KiB of the session.

Examples:
  $ jsonl-session append demo --type user --payload '{"content":"hello"}'
  appended user 0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a at byte 377, line 2 of
  /home/ada/.jsonl-session/.transcripts/demo.jsonl

  $ echo '{"content":"hi"}' | jsonl-session append demo --type assistant --payload - --json
  {"uuid":"6a4f…","byte_offset":591,"line_number":3,"duplicate":false}

Exit codes:
  0 appended, or there already · 2 wrong use, refused, or failed · 5 locked by another
`

export const append: Command = {
  name: 'append',
  summary: 'Append one event to a session; a new one gets its header first',
  operand: '<session>',
  operandText: 'the id of the session',
  options: [
    { name: 'type', value: 'T', text: 'the type of the event: user, assistant, tool_call, …' },
    {
      name: 'payload',
      value: 'JSON',
      text: 'a JSON object, or - to read it from stdin (default: {})',
    },
    { name: 'uuid', value: 'U', text: 'the name of the event (default: a new random one)' },
    { name: 'prev', value: 'U', text: 'the event it follows (default: the newest)' },
    {
      name: 'durability',
      value: 'WHEN',
      text: 'when to sync to the disk: none, turn or always (default: turn)',
    },
  ],
  lesson: LESSON,
  isHot: true,

  async run(call) {
    const sessionId = call.operands[0]!
    const type = call.value('type')
    if (type === undefined) throw new UsageError('append needs --type, for example --type user')
    const payload = await payloadOf(call)
    const storeOptions = storeOptionsOf(call)
    const receipt = await append_transcript(
      {
        session_id: sessionId,
        event: { type, payload, uuid: call.value('uuid'), prev_uuid: call.value('prev') },
      },
      {
        ...storeOptions,
        // As with prompt: what is said here is found again by whoever asks for this project.
        facts: { project: workingFolder(call.io) },
        // Any other word is refused where durability is known.
        durability: call.value('durability') as 'none' | 'turn' | 'always' | undefined,
        onDiagnostic: (diagnostic) => call.notes.tell(diagnostic),
      },
    )
    if (receipt.queued === true) return tellQueued(call, receipt.uuid)
    const { uuid, byte_offset, line_number, duplicate = false } = receipt
    if (call.has('json')) {
      await call.output.write(`${JSON.stringify({ uuid, byte_offset, line_number, duplicate })}\n`)
    } else {
      const path = layoutOf(storeOptions).transcriptPath(sessionId)
      const what = duplicate ? `nothing written, already there: ${type}` : `appended ${type}`
      await call.output.write(
        `${what} ${uuid} at byte ${byte_offset}, line ${line_number} of ${path}\n`,
      )
    }
    return 0
  },
}

/** Somebody holds the session; the event waits for them. */
async function tellQueued(call: Call, uuid: string): Promise<number> {
  const text = call.has('json')
    ? JSON.stringify({ uuid, queued: true })
    : `queued ${uuid}: another process is writing this session and will take it over`
  await call.output.write(`${text}\n`)
  return 0
}
