// The tools for agents, over stdin and stdout.

import { storeOptionsOf } from '../arguments.js'
import type { Command } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `Agents start it themselves; it speaks the Model Context Protocol on stdin and stdout, and nothing
else goes there. Tools: session_start, session_recover, session_remember, session_digest,
session_checkpoint, session_search, read_item. It needs the package @modelcontextprotocol/server
beside this one.

Examples:
  $ claude mcp add sessions -- jsonl-session mcp
  Added stdio MCP server sessions with command: jsonl-session mcp to local config

  $ jsonl-session mcp --root /srv/sessions --agent reviewer

Exit codes:
  0 the client has gone · 2 wrong use, failed, or the package is missing
`

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve the session tools to an agent (MCP)',
  operand: '',
  operandText: '',
  options: [],
  lesson: LESSON,

  async run(call) {
    const { serveMcp } = await call.rooms.mcp()
    const { toPlainText } = await import('../plain-text.js')
    const onProblem = (text: string) => call.notes.say(toPlainText(text))
    await serveMcp({ ...storeOptionsOf(call), io: call.io, onProblem })
    return EXIT.done
  },
}
