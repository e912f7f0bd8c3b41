// Entry point of the MCP server: tools for agents whose harness calls no hooks. Each maps to one call
// of a lower module, and none of them obeys a bypass, which is for hooks.

import type { EnvironmentOverrides } from '../environment/index.js'
import { isSessionError, SessionError } from '../errors.js'
import { identifyParent } from '../log/index.js'
import { findClaimedSession, openContext, type StoreOptions } from '../store/index.js'
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.js'
import type { ToolAnswer, ToolContext } from './tool.js'
import { TOOLS } from './tools.js'

const INSTRUCTIONS =
  'Memory of coding sessions, on this machine. Call session_start when a conversation begins, session_digest at turning points, session_checkpoint when work is finished, session_recover after a compaction.'

export interface ServeMcpOptions extends StoreOptions {
  readonly io: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'env' | 'cwd'>
  /** Called with problems that the protocol cannot carry. */
  readonly onProblem: (text: string) => void
  readonly environment?: EnvironmentOverrides | undefined
}

/** Serves one client on stdin and stdout, and resolves when it has gone. */
export async function serveMcp({ io, onProblem, ...options }: ServeMcpOptions): Promise<void> {
  const { McpServer, serveStdio, StdioServerTransport } = await loadSdk()
  const context = contextOf({ io, onProblem, ...options })
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

function contextOf({ io, onProblem, ...given }: ServeMcpOptions): ToolContext {
  const options = { ...given, readConfig: true }
  const store = openContext(options)
  return {
    store,
    reportingStore: openContext({
      ...options,
      onDiagnostic: ({ message }) => onProblem(message),
    }),
    project: () => io.env['CLAUDE_PROJECT_DIR'] || io.cwd(),
    // The process that started this server also runs the hooks, and they claim its session in its name.
    session: () => findClaimedSession(store, identifyParent(store.env)),
    ownKey: `mcp-${store.env.newUuid()}`,
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

const PACKAGE = '@modelcontextprotocol/server'

export async function loadSdk() {
  try {
    const { McpServer } = await import('@modelcontextprotocol/server')
    const stdio = await import('@modelcontextprotocol/server/stdio')
    return { McpServer, ...stdio }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const what = `The MCP server needs the package ${PACKAGE}: npm install ${PACKAGE}`
    throw new SessionError('ERR_MISSING_PACKAGE', what, { package: PACKAGE, cause })
  }
}
