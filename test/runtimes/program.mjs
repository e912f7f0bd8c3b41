// A program that another bundler makes one file of. It uses every package that the library loads:
// locks, saved files, the watcher, schemas and patterns. It prints what it found as JSON.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'jsonl-session'

// A bundle in CommonJS has no top-level await.
main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})

async function main() {
  const root = mkdtempSync(join(tmpdir(), 'jsonl-session-bundle-'))
  try {
    console.log(JSON.stringify(await use(root)))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function use(root) {
  const store = openStore({ root: join(root, 'store'), home: join(root, 'home') })
  const session = await store.createSession({ id: 'demo', project: root })
  await session.prompt('hello')
  await session.append({ type: 'assistant', payload: { content: 'hi' } })
  writeFileSync(join(root, 'a.txt'), 'one')
  await session.snapshotFiles(['a.txt'])
  const second = await store.resumeSession({ id: 'demo', mode: 'append' }).catch(({ code }) => code)
  await session.close()

  const { session: resumed, messages } = await store.resumeSession({ id: 'demo', mode: 'append' })
  const followed = follow(store)
  await resumed.append({ type: 'user', payload: { content: 'again' } })
  await resumed.close()

  const { findings } = await store.maintenance.verify(session.path)
  const { locks } = await store.maintenance.examine()
  let exported = 0
  for await (const _ of store.exportSession('demo')) exported++
  let hits = 0
  for await (const _ of store.grep({ pattern: 'hel+o' })) hits++
  return {
    resumed: messages.map(({ payload }) => payload.content),
    second,
    followed: await followed,
    findings: findings.length,
    locks: locks.mode,
    exported: exported > 0,
    hits,
    listeners: process.listenerCount('SIGTERM') + process.listenerCount('SIGXFSZ'),
  }
}

async function follow(store) {
  const signal = AbortSignal.timeout(20_000)
  const entries = store.tailSessions({ session: 'demo', lines: 0, follow: true, signal })
  for await (const { kind, event } of entries) if (kind === 'event') return event.payload.content
}
