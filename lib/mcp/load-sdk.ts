// The official MCP package, for those who have it: nobody else should have to install it.

import { SessionError } from '../errors.js'

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
