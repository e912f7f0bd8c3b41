// The API over HTTP, and the page that shows sessions.

import { delimiter } from 'node:path'
import type { Call, Command } from '../../command.js'
import { readNumber, readWords, resolveFile } from '../../input/arguments.js'
import { EXIT } from '../../output/exit-codes.js'
import { printJson } from '../../output/print.js'

const LESSON = `It runs until Ctrl-C or SIGTERM, then answers what has begun and ends within five seconds.
Every request to /api needs a token, as \`Authorization: Bearer TOKEN\`; the page reads it from the
address that is printed. Without --token-file it is in server.token of the home folder, which the
first start creates. A line of that file is \`TOKEN [agent=ID] [scopes=read,recall,remember]\`.

Without --allow-write nothing is written: hooks and bypass answer 403. Texts are redacted, except
with --allow-secrets for a request with secrets=1. A transcript that a request names by its path is
read only under --transcript-root. /api/openapi.json describes every route. It needs the packages
hono and @hono/node-server to be installed, too.

Examples:
  $ jsonl-session serve
  http://127.0.0.1:4350/#token=3q2-7wEjR5KkJ0p1yq8wX0uYt2bN5vCzHs4mLdGfAeU

  $ jsonl-session serve --allow-write --port 0 --json
  {"url":"http://127.0.0.1:40123/","pageUrl":"http://127.0.0.1:40123/#token=3q2-…","port":40123}

Exit codes:
  0 stopped · 2 wrong use, the port is in use, or a package is missing · 3 no such token file
`

export const serve: Command = {
  name: 'serve',
  summary: 'Serve the store over HTTP: the API for harnesses and the page that shows sessions',
  options: [
    { name: 'port', value: 'N', text: 'the port; 0: any that is free (default: 4350)' },
    { name: 'host', value: 'ADDRESS', text: 'the address to listen on (default: 127.0.0.1)' },
    { name: 'allow-host', value: 'NAMES', text: 'other names of this server, with commas between' },
    { name: 'token-file', value: 'FILE', text: 'the tokens; only its owner may read it (0600)' },
    { name: 'allow-write', text: 'answer hooks and bypass, which write' },
    { name: 'allow-secrets', text: 'show texts as they are stored to requests that ask for it' },
    { name: 'transcript-root', value: 'DIR', text: 'read transcripts that requests name in here' },
    { name: 'rate-limit', value: 'N', text: 'requests per second and token; 0: any (default: 50)' },
  ],
  lesson: LESSON,
  isServer: true,

  async run(call) {
    const tokenFile = call.value('token-file')
    const roots = call.value('transcript-root')?.split(delimiter) ?? []
    const { serve: start } = await call.modules.server()
    const server = await start(call.store, {
      host: call.value('host'),
      port: readNumber(call, 'port'),
      allowedHosts: readWords(call, 'allow-host'),
      tokenFile: tokenFile === undefined ? undefined : resolveFile(call, tokenFile),
      allowWrite: call.has('allow-write'),
      allowSecrets: call.has('allow-secrets'),
      transcriptRoots: roots.map((root) => resolveFile(call, root)),
      rateLimit: readNumber(call, 'rate-limit'),
      assets: call.modules.viewerFolder(),
      onProblem: (text) => call.notes.reportProblem(text),
    })
    const stopped = untilStopped(call)
    if (!isLoopback(server.host)) call.notes.warn(OPEN_TO_OTHERS)
    try {
      if (call.has('json')) {
        const { url, pageUrl, host, port, tokenFile } = server
        await printJson(call, { url, pageUrl, host, port, tokenFile })
      } else await call.output.write(`${server.pageUrl}\n`)
      await call.output.flush()
      await stopped
    } finally {
      await server.close()
    }
    return EXIT.done
  },
}

const OPEN_TO_OTHERS =
  'other machines can reach this server, and HTTP is not encrypted: put a proxy with TLS before it'

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Resolves at the first signal; the second one ends the process at once. */
function untilStopped({ io }: Call): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of SIGNALS) io.off(signal, stop)
      resolve()
    }
    for (const signal of SIGNALS) io.on(signal, stop)
  })
}
