// Hono and its adapter are optional peers: they are loaded when a server starts, and by nothing else.

import { SessionError } from '../errors.js'

const PACKAGES = ['hono', '@hono/node-server'] as const

export async function loadHono() {
  return load(() => import('hono'))
}

export async function loadNodeServer() {
  return load(() => import('@hono/node-server'))
}

async function load<Module>(importModule: () => Promise<Module>): Promise<Module> {
  try {
    return await importModule()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const names = PACKAGES.join(' ')
    const what = `The HTTP server needs the packages ${PACKAGES.join(' and ')}: npm install ${names}`
    throw new SessionError('ERR_MISSING_PACKAGE', what, { package: names, cause })
  }
}
