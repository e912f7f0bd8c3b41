// How unexpected errors are reported.

import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { CliIo } from '../../../lib/cli/index.js'
import { reportError } from '../../../lib/cli/output/report-error.js'

function report(thrown: unknown, { isJson = false, env = {} } = {}) {
  const stderr = new PassThrough()
  const io = { stderr, env } as unknown as CliIo
  const exitCode = reportError(thrown, { io, isJson, commandName: 'list' })
  return { exitCode, text: String(stderr.read()) }
}

test('an unexpected error exits with 2 and asks for a report', () => {
  expect(report(new RangeError('out of\nbounds'))).toEqual({
    exitCode: 2,
    text: 'jsonl-session list: unexpected: out of bounds\nJSONL_SESSION_DEBUG=1 shows where. Please report it.\n',
  })
  expect(report('thrown as text').text).toContain('unexpected: thrown as text')
  const { error } = JSON.parse(report(new Error('no'), { isJson: true }).text)
  expect(error).toEqual({ code: 'ERR_UNEXPECTED', message: 'no', details: {} })
})

test('JSONL_SESSION_DEBUG shows the stack, and that of each cause', () => {
  const env = { JSONL_SESSION_DEBUG: '1' }
  const inner = new Error('inner', { cause: 'a word' })
  const { text } = report(new Error('outer', { cause: inner }), { env })
  expect(text).toMatch(/\nError: outer\n +at .*\ncaused by Error: inner\n +at /s)
  expect(text).toMatch(/\ncaused by a word\n$/)
  const bare = Object.assign(new Error('bare'), { stack: undefined })
  expect(report(bare, { env }).text).toMatch(/report it\.\nbare\n$/)
})

test('a call to the system that failed has one of our codes, with what it was called on', () => {
  const full = Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC', syscall: 'write' })
  expect(report(full).text).toMatch(
    /the output \(ENOSPC\); what was written to the store is kept \(ERR_IO\)\n$/,
  )
})
