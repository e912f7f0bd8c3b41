// What the system reports to a watcher after it was closed.

import { expect, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { FolderWatcher } from '../../../lib/log/internal.js'
import { temporaryFolder } from '../../helpers/temporary.js'

type Callbacks = Parameters<typeof systemEnvironment.watchFolder>[1]

test('a watcher reports changes and readiness, but neither after it was closed', async (t) => {
  const callbacks: Callbacks[] = []
  const watchFolder = async (_: string, given: Callbacks) => {
    callbacks.push(given)
    return { close: async () => {} }
  }
  const seen: string[] = []
  const watcher = new FolderWatcher({ ...systemEnvironment, watchFolder }, temporaryFolder(t), {
    pollMs: 60_000,
    nameOf: (path) => (path.endsWith('.jsonl') ? path : undefined),
    onNames: (names) => seen.push(...names),
    onPoll: () => seen.push('poll'),
  })
  const [{ onChange, onReady } = expect.fail('nothing is watched')] = callbacks
  onReady()
  onChange('a.jsonl')
  onChange('a.lock')
  expect(seen).toEqual(['poll', 'a.jsonl'])
  await watcher.close()
  onReady()
  onChange('b.jsonl')
  expect(seen).toEqual(['poll', 'a.jsonl'])
})
