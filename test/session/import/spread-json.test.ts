// One JSON object over many lines, as older versions of Gemini CLI wrote it.

import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { importSession, resumeSession } from '../../../lib/index.js'
import { setUp } from './foreign-source.js'

test('a pretty-printed chat is imported as the same session as on one line', async (t) => {
  const { path, ...store } = setUp(t, 'gemini/one-object')
  const value = JSON.parse(readFileSync(path, 'utf8'))
  const plain = await importSession(path, { ...store, root: `${store.root}-plain` })
  writeFileSync(path, `\n${JSON.stringify(value, null, 2)}\n`)
  const report = await importSession(path, store)
  expect(report).toMatchObject({ format: 'gemini', lines: 1, events: plain.events, skipped: null })
  const id = report.sessionId!
  const shown = async (root: string) => {
    const { messages } = await resumeSession({ id, root, home: root, mode: 'inspect' })
    return messages.map(({ payload }) => payload)
  }
  const withoutPlace = (payloads: unknown[]) =>
    payloads.map((payload) => ({ ...(payload as object), imported_from: undefined }))
  const one = await shown(`${store.root}-plain`)
  expect(withoutPlace(await shown(store.root))).toEqual(withoutPlace(one))
  expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'unchanged' })
})

test('one that is damaged, of no known format or over 32 MiB is refused', async (t) => {
  const { path, ...store } = setUp(t)
  writeFileSync(path, '{\n  "sessionId": "a",\n  "messages": [\n')
  expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'spread_json' })
  writeFileSync(path, '{\n  "some": "thing"\n}\n')
  expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'unknown_format' })
  const id = 'T-1'
  writeFileSync(path, JSON.stringify({ v: 1, id, messages: [] }, null, 2))
  expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'amp' })
  writeFileSync(path, `{\n  "a": "${'x'.repeat(33 * 1024 * 1024)}"\n}\n`)
  expect((await importSession(path, store)).skipped).toMatchObject({ reason: 'spread_json' })
})
