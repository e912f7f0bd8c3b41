import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../lib/format/index.js'
import { openLog } from '../../lib/log/index.js'
import { temporaryFile } from '../helpers/temporary.js'
import { collectUncaught } from '../helpers/uncaught.js'

test('an onDiagnostic that throws fails no append and does not end the process', async (t) => {
  const uncaught = collectUncaught(t)
  const path = temporaryFile(t, 'log.jsonl', '')
  const errors: unknown[] = []
  const found: Diagnostic[] = []
  const log = await openLog(path, {
    onDiagnostic: (one) => {
      found.push(one)
      throw new Error(one.code)
    },
    onListenerError: (error) => errors.push(error),
  })
  t.onTestFinished(() => log.close())
  await log.append({ type: 'user', payload: { content: 'hello' } })
  appendFileSync(path, 'written by another program\n')
  await log.append({ type: 'user', payload: { content: 'and again' } })
  await new Promise(setImmediate)
  expect(found.length).toBeGreaterThan(0)
  expect(errors).toMatchObject(found.map(({ code }) => ({ message: code })))
  expect(uncaught).toEqual([])
})
