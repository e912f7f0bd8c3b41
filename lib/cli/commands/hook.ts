// One event of a harness, as its hooks tell it. What it means is known in the room of the hooks.

import { storeOptionsOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'
import { toPlainText } from '../plain-text.js'

const STDIN = 0

const LESSON = `For the settings of a harness such as Claude Code, which calls it for every event and writes the
event to its stdin as JSON. It records prompts, replies, tools, subagents and compactions, and
at a session start prints what the last session left, for the model to read. It prints nothing
else, never fails its harness, and drops whatever speaks of permissions.
JSONL_SESSION_NO_HOOKS=1 switches it off. docs/HOOKS.md tells what each event leaves behind.

Examples:
  $ echo '{"session_id":"demo","prompt":"hello"}' | jsonl-session hook UserPromptSubmit

  $ echo '{"session_id":"next","source":"startup"}' | jsonl-session hook SessionStart
  {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"## Session Recovery…

Exit codes:
  0 always: what went wrong is one line on stderr
`

export const hook: Command = {
  name: 'hook',
  summary: 'Record one event of a harness, read from stdin',
  operand: '[event]',
  operandText: 'its name; the hook_event_name of the event itself counts more',
  options: [
    {
      name: 'runtime-path',
      value: 'P',
      text: 'which way of the harness this is, say plugin: one speaks for a session, others rest',
    },
  ],
  lesson: LESSON,
  isHot: true,
  isHook: true,

  async run(call) {
    const { runHook } = await call.rooms.hooks()
    await runHook({
      event: call.operands[0],
      runtimePath: call.value('runtime-path'),
      store: storeOptionsOf(call),
      io: call.io,
      stdinFd: call.io === process ? STDIN : undefined,
      write: async (text) => {
        await call.output.write(text)
        await call.output.flush()
      },
      tell: (text) => call.notes.say(`jsonl-session hook: ${toPlainText(text)}`),
    })
    return EXIT.done
  },
}
