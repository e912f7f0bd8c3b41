// The tools for agents, over stdin and stdout.

import type { Command } from '../../command.js'
import { toStoreOptions } from '../../input/arguments.js'
import { EXIT } from '../../output/exit-codes.js'
import { toPlainText } from '../../output/plain-text.js'

const LESSON = `Agents start it; it speaks the Model Context Protocol on stdin and stdout, and prints nothing else
there. Tools: session_start, session_recover, session_remember, session_digest,
session_checkpoint, session_search, read_item. It needs the package @modelcontextprotocol/server
to be installed, too.

Examples:
  $ claude mcp add sessions -- jsonl-session mcp
  Added stdio MCP server sessions with command: jsonl-session mcp to local config

  $ jsonl-session mcp --root /srv/sessions --agent reviewer

Exit codes:
  0 the client has closed the connection · 2 wrong use, failed, or the package is missing
`

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve the session tools to an agent (MCP)',
  lesson: LESSON,
  isServer: true,

  async run(call) {
    const { serveMcp } = await call.modules.mcp()
    const onProblem = (text: string) => call.notes.say(toPlainText(text))
    await serveMcp({ ...toStoreOptions(call), io: call.io, onProblem, environment: call.env })
    return EXIT.done
  },
}
