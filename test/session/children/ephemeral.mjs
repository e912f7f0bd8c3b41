// A whole life of a session that is kept nowhere; says at the end what it had.

import { createSession, resumeSession } from '../../../dist/lib/index.js'

const [root, home] = process.argv.slice(2)
// What is opened from here on is of the session, not of loading it.
process.stderr.write('begin\n')
const session = await createSession({
  root,
  home,
  id: 'secret',
  project: root,
  persist: false,
  durability: 'always',
  handleSignals: true,
})
const first = await session.prompt('a secret')
await session.append({ type: 'assistant', uuid: 'a1', payload: { content: 'psst' } })
await session.rename('Secret')
await session.compact({ summary: 'all secret', keepFrom: 'a1' })
await session.prompt('more')
await session.rewind({ to: 'a1', keepCompaction: true })
await resumeSession({ root, home, id: 'secret' }).catch(() => {})
const messages = session.messages().messages.map(({ type }) => type)
const end = await session.close()
process.stdout.write(JSON.stringify({ first, messages, end }))
