// chokidar reports a change, then drops every other one of that file for 50 ms.

import { expect, test, vi } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import { FolderWatcher } from '../../../lib/log/follow/watch-folder.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const DROPPED_MS = 50

test('a change that the watcher dropped is reported after its 50 ms, however often others were reported before', async (t) => {
  vi.useFakeTimers()
  t.onTestFinished(() => void vi.useRealTimers())
  let change: (path: string) => void = () => {}
  const env = {
    ...systemEnvironment,
    timers: { ...systemEnvironment.timers, setTimeout, clearTimeout, setInterval, clearInterval },
    watchFolder: async (_: string, { onChange }: { onChange: (path: string) => void }) => {
      change = onChange
      return { close: async () => {} }
    },
  }
  const reportedAt: number[] = []
  const start = Date.now()
  const watcher = new FolderWatcher(env as never, temporaryFolder(t), {
    pollMs: 1_000_000,
    nameOf: (path) => path,
    onNames: () => reportedAt.push(Date.now() - start),
    onPoll: () => {},
  })
  t.onTestFinished(() => watcher.close())
  await vi.advanceTimersByTimeAsync(0)
  const reports = [0, 60, 115, 170]
  for (const at of reports) {
    await vi.advanceTimersByTimeAsync(at - (Date.now() - start))
    change('log.jsonl')
  }
  await vi.advanceTimersByTimeAsync(1000)
  for (const at of reports) {
    // Whatever was dropped until then is read by a report that follows.
    const isCovered = reportedAt.some((time) => time >= at + DROPPED_MS && time <= at + 200)
    expect(isCovered, `after ${at}: ${reportedAt.join(', ')}`).toBe(true)
  }
  expect(reportedAt.at(-1)).toBeGreaterThanOrEqual(170 + DROPPED_MS)
})
