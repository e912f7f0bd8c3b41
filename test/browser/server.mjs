// `jsonl-session serve` as a process of its own.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../dist/bin/jsonl-session.cjs', import.meta.url))

/** Returns when the server listens. */
export async function startServer(root, { port = 0, args = [] } = {}) {
  const child = spawn(
    process.execPath,
    [
      PROGRAM,
      'serve',
      '--root',
      root,
      '--home',
      root,
      '--port',
      String(port),
      '--json',
      '--rate-limit',
      '0',
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += data
  })
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error(`serve ended: ${errors}`)
    }),
  ])
  const { pageUrl, port: listening } = JSON.parse(String(line))
  return {
    pageUrl,
    port: listening,
    /** The address of a page with the token. */
    address: (path) => pageUrl.replace('/#', `${path}#`),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}
