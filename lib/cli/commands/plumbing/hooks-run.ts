// One event of a harness, as its hooks pass it. The hooks module knows what it means.

import type { Command } from '../../command.js'
import { toStoreOptions } from '../../input/arguments.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'

const STDIN = 0

const LESSON = `For the settings of a harness such as Claude Code, which calls it for every event and writes the
event to its stdin as JSON. It records prompts, replies, tools, subagents and compactions, and
at a session start prints what the last session left, for the model to read. It prints nothing
else, never fails its harness, and drops permission state. JSONL_SESSION_NO_HOOKS=1 switches it off.
Installed settings call it as \`jsonl-session hook\`. docs/HOOKS.md describes each event.

Examples:
  $ echo '{"session_id":"demo","prompt":"hello"}' | jsonl-session hooks run UserPromptSubmit

  $ echo '{"session_id":"next","source":"startup"}' | jsonl-session hooks run SessionStart
  {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"## Session Recovery…

Exit codes:
  0 always: a problem is one line on stderr
`

export const hooksRun: Command = {
  name: 'hooks run',
  summary: 'Record one event of a harness, read from stdin',
  operand: '[event]',
  operandText: 'its name; the hook_event_name of the event itself takes precedence',
  options: [
    {
      name: 'for',
      value: 'CLIENT',
      text: 'who calls it: claude-code (default), gemini, codex, opencode',
      values: ['claude-code', 'gemini', 'codex', 'opencode'],
    },
    {
      name: 'runtime-path',
      value: 'P',
      text: 'which program calls this, for example plugin; only one records a session',
    },
  ],
  lesson: LESSON,
  isHot: true,
  isHook: true,

  async run(call) {
    const { runHook } = await call.modules.hooks()
    await runHook({
      event: call.operands[0],
      client: call.value('for'),
      runtimePath: call.value('runtime-path'),
      store: toStoreOptions(call),
      io: call.io,
      environment: call.env,
      stdinFd: call.io === process ? STDIN : undefined,
      write: async (text) => {
        await call.output.write(text)
        await call.output.flush()
      },
      report: (text) => call.notes.say(`jsonl-session hook: ${toPlainText(text)}`),
    })
    return EXIT.done
  },
}
