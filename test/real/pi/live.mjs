// How a scenario runs pi, and how pi itself then says what the session is: it resumes it in print mode, and what
// it sends before its new prompt is the oracle.

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PiHome } from './home.mjs'
import { listSent } from './oracle.mjs'

const PROBE = 'PROBE-prompt'

/** Prompts in print mode, each in a process of its own. */
export function inPrint(name, prompts, { isOld = false, args, ...options } = {}) {
  return {
    name,
    async run(context) {
      const home = makeHome(context, isOld, options)
      for (const prompt of prompts)
        await home.print(
          prompt,
          args && [...args(home), ...(home.sessions().length > 0 ? ['--continue'] : [])],
        )
      return probe(home, context.server)
    },
  }
}

export function inRpc(name, live, { isOld = false, ...options } = {}) {
  return {
    name,
    async run(context) {
      const home = makeHome(context, isOld, options)
      const pi = home.rpc()
      try {
        await live(pi, home, context.server)
      } finally {
        await pi.close()
      }
      return probe(home, context.server)
    },
  }
}

export function inTerminal(name, live, options = {}) {
  return {
    name,
    needsTerminal: true,
    async run(context) {
      const home = makeHome(context, false, options)
      const pi = await home.terminal()
      try {
        await live(pi, home, context.server)
      } finally {
        pi.close()
      }
      return probe(home, context.server)
    },
  }
}

function makeHome({ folder, server, installed }, isOld, options) {
  return new PiHome({ folder, server, pi: isOld ? installed.old : installed.current, ...options })
}

/** Resumes the newest session with pi itself; what it sends before its new prompt is the oracle. */
async function probe(home, server) {
  const session = home.sessions().at(-1)
  const before = server.requests.length
  const { output } = await home.tryOut(() => home.print(PROBE, ['--session', session]))
  const request = server.requests
    .slice(before)
    .find(({ body }) => JSON.stringify(body).includes(PROBE))
  if (request === undefined) throw new Error(`pi did not resume: ${output}`)
  const [header] = readFileSync(session, 'utf8').split('\n', 1)
  const theirs = listSent(request.body, PROBE, { hasPrompt: !home.pi.isOld })
  return { home: home.path, files: [session], session, sessionId: JSON.parse(header).id, theirs }
}

export async function startAndAbort(pi, server, message) {
  const before = server.requests.length
  const settled = pi.settled()
  await pi.send('prompt', { message })
  await until(() => server.requests.length > before)
  await sleep(300)
  await pi.send('abort')
  await settled
}

export async function until(isDone) {
  for (const end = Date.now() + 30_000; !isDone(); await sleep(25)) {
    if (Date.now() > end) throw new Error(`never true: ${isDone}`)
  }
}
