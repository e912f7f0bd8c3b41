// A parent's whole life, with every opening of a file recorded.

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'

const { root } = JSON.parse(process.argv[2])
const paths = []
for (const target of [fs, fs.promises]) {
  for (const name of ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream']) {
    const real = target[name]
    if (real === undefined) continue
    target[name] = (path, ...rest) => {
      paths.push(String(path))
      return real.call(target, path, ...rest)
    }
  }
}
syncBuiltinESMExports()
const { createSession, forkSession, listSessions, listSidechains, resumeSession } = await import(
  '../../../dist/lib/index.js'
)
const countOf = (folder) => paths.filter((path) => path.includes(`${folder}/`)).length
const ofChildren = () => paths.filter((path) => path.includes('.sidechains'))

const session = await createSession({ root, id: 'demo' })
await session.append({ type: 'user', payload: { content: 'Delegate.' } })
const task = await session.delegate({ taskId: 'remote', prompt: 'Go.' })
const worker = fileURLToPath(new URL('work.mjs', import.meta.url))
const report = execFileSync(process.execPath, [worker, JSON.stringify({ root, task })])
await session.mergeResult(JSON.parse(String(report)))

// One of this process writes its own log, of course; its parent does not look into it.
const child = await session.spawn({ taskId: 'here', prompt: 'Go.' })
await child.finish({ status: 'completed', summary: 'Done here.' })
const byChild = ofChildren().length
await session.mergeResult(child)
const { messages } = session.messages()
await session.compact({ summary: 'Two subagents were sent.', keepFrom: messages.at(-1).uuid })
for await (const _ of session.raw());
await session.close()
forkSession('demo', { root, newId: 'fork' })
const { session: next } = await resumeSession({ root, id: 'demo' })
await next.append({ type: 'user', payload: { content: 'Go on.' } })
next.messages()
await next.close()
listSessions({ root, all: true, counts: true })
const after = ofChildren().slice(byChild)
const ofRemote = ofChildren().filter((path) => path.includes('remote'))

listSidechains({ root })
const audit = ofChildren().length - byChild
const transcripts = countOf('.transcripts')
const message = { opened: [...after, ...ofRemote], transcripts, audit }
process.stdout.write(`${JSON.stringify(message)}\n`)
