// The door of the room that speaks MCP: tools for agents whose harness calls no hooks. Each maps
// to one call of the rooms below, and none of them heeds a bypass, which is for hooks.

import { isSessionError } from '../errors.js'
import { newUuid, parentIdentity } from '../log/index.js'
import { findSessionOf, type StoreOptions } from '../store/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js'
import { loadSdk } from './load-sdk.js'
import { readItemTool } from './read-item.js'
import { sessionCheckpoint } from './session-checkpoint.js'
import { sessionDigest } from './session-digest.js'
import { sessionRecover } from './session-recover.js'
import { sessionRemember } from './session-remember.js'
import { sessionSearch } from './session-search.js'
import { sessionStartTool } from './session-start.js'
import type { Tool, ToolAnswer, ToolContext } from './tool.js'

const TOOLS: readonly Tool[] = [
  sessionStartTool,
  sessionRecover,
  sessionRemember,
  sessionDigest,
  sessionCheckpoint,
  sessionSearch,
  readItemTool,
]

const INSTRUCTIONS =
  'Memory of coding sessions, on this machine. Call session_start when a conversation begins, session_digest at turning points, session_checkpoint when work is finished, session_recover after a compaction.'

export interface ServeMcpOptions extends StoreOptions {
  readonly io: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'env' | 'cwd'>
  /** Told what the protocol has no place for. */
  readonly onProblem: (text: string) => void
}

/** Serves one client on stdin and stdout, and resolves when it has gone. */
export async function serveMcp({ io, onProblem, ...store }: ServeMcpOptions): Promise<void> {
  const { McpServer, serveStdio, StdioServerTransport } = await loadSdk()
  const context = contextOf({ io, onProblem, store })
  const gone = untilClosed(io.stdin)
  const handle = serveStdio(
    () => {
      const info = { name: PACKAGE_NAME, version: PACKAGE_VERSION }
      const server = new McpServer(info, { instructions: INSTRUCTIONS })
      for (const tool of TOOLS) {
        const { name, title, description, input, isLook } = tool
        const annotations = { readOnlyHint: isLook, destructiveHint: false, openWorldHint: false }
        server.registerTool(
          name,
          { title, description, inputSchema: input, annotations },
          async (given) => resultOf(() => tool.run(given, context)),
        )
      }
      return server
    },
    {
      transport: new StdioServerTransport(io.stdin, io.stdout),
      onerror: ({ message }) => onProblem(message),
    },
  )
  await gone
  await handle.close()
}

interface Surroundings {
  readonly io: ServeMcpOptions['io']
  readonly onProblem: (text: string) => void
  readonly store: StoreOptions
}

function contextOf({ io, onProblem, store }: Surroundings): ToolContext {
  const { root, home, agent } = store
  return {
    store: { root, home, agent },
    project: () => io.env['CLAUDE_PROJECT_DIR'] || io.cwd(),
    // Whoever started this server also runs the hooks, and they claim its session in its name.
    session: () => findSessionOf(parentIdentity(), store),
    ownKey: `mcp-${newUuid()}`,
    onProblem,
  }
}

/** A failure is an answer too: the model reads it and may do better. */
async function resultOf(work: () => Promise<ToolAnswer>) {
  try {
    const { text, data } = await work()
    return {
      content: [{ type: 'text' as const, text }],
      structuredContent: { ...data } as Record<string, unknown>,
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const text = isSessionError(error) ? `${message} (${error.code})` : message
    return { content: [{ type: 'text' as const, text }], isError: true }
  }
}

function untilClosed(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, () => resolve())
  })
}
