import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import type { Diagnostic } from '../../lib/format/index.js'
import { openLog } from '../../lib/log/index.js'
import { callListener, reportListenerError } from '../../lib/log/internal.js'
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

function reported(error: unknown, given: 'onDiagnostic' | 'onListenerError' | 'failing' | 'none') {
  const diagnostics: string[] = []
  const errors: unknown[] = []
  const warnings: string[] = []
  const emitWarning = ({ message }: Error) => warnings.push(message)
  const options = {
    onDiagnostic: { onDiagnostic: ({ message }: Diagnostic) => diagnostics.push(message) },
    onListenerError: {
      onDiagnostic: ({ message }: Diagnostic) => diagnostics.push(message),
      onListenerError: (it: unknown) => errors.push(it),
    },
    failing: {
      onListenerError: () => {
        throw 'twice'
      },
    },
    none: {},
  }[given]
  reportListenerError(error, options, { ...systemEnvironment.host, emitWarning })
  return { diagnostics, errors, warnings }
}

test('what a listener throws is reported once, to the first of those that the caller gave', () => {
  const error = new Error('no')
  const nothing = { diagnostics: [], errors: [], warnings: [] }
  const message = 'A listener failed: no'
  for (const thrown of [error, 'no']) {
    expect(reported(thrown, 'onDiagnostic')).toEqual({ ...nothing, diagnostics: [message] })
    expect(reported(thrown, 'onListenerError')).toEqual({ ...nothing, errors: [thrown] })
    expect(reported(thrown, 'none')).toEqual({ ...nothing, warnings: ['no'] })
  }
  expect(reported(error, 'failing')).toEqual({ ...nothing, warnings: ['twice'] })
})

test('a listener whose promise is rejected is reported like one that throws', async () => {
  const errors: unknown[] = []
  callListener(
    () => Promise.reject('later'),
    (error) => errors.push(error),
  )
  await new Promise(setImmediate)
  expect(errors).toEqual(['later'])
})
