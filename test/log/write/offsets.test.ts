// Places that are told to programs, and looks that are not owed to anybody.

import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemEnvironment } from '../../../lib/environment/index.js'
import type { Diagnostic } from '../../../lib/format/index.js'
import { copyLog } from '../../../lib/log/files/copy-log.js'
import { Follower } from '../../../lib/log/follow/follower.js'
import { openLog } from '../../../lib/log/index.js'
import { line } from '../../helpers/lines.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const newPath = () => join(temporaryFolder({ onTestFinished }), 'log.jsonl')

test('reports the offset and length of bytes that another process wrote', async () => {
  const path = newPath()
  const told: Diagnostic[] = []
  const onDiagnostic = (diagnostic: Diagnostic) => told.push(diagnostic)
  const log = await openLog(path, { useKernelLock: false, onDiagnostic })
  await log.append({ type: 'user', payload: { content: 'x' } })
  const { size } = log
  appendFileSync(path, line('turn_end', { uuid: 'theirs' }))
  await log.append({ type: 'user', payload: { content: 'x' } })
  await log.close()
  const { length } = line('turn_end', { uuid: 'theirs' })
  expect(told).toMatchObject([{ code: 'foreign_writer', file: path, byte_offset: size, length }])
})

test('a file of which nothing was read cannot be replaced', async () => {
  const path = newPath()
  writeFileSync(path, '')
  const follower = new Follower(path, {
    start: { byte_offset: 0 },
    bare: false,
    env: systemEnvironment,
  })
  const kinds = async () => {
    const found: string[] = []
    for await (const { kind } of follower.readNew()) found.push(kind)
    return found
  }
  expect(await kinds()).toEqual([])
  writeFileSync(`${path}.new`, line('user'))
  renameSync(`${path}.new`, path)
  expect(await kinds()).toEqual(['event'])
})

test('a copy ends as its source where that is asked for, and else with a newline', () => {
  const from = newPath()
  writeFileSync(from, 'one\ntwo')
  const request = { from, opening: Buffer.alloc(0), end: 7, later: [] }
  copyLog({ ...request, to: `${from}.as-it-is`, isVerbatim: true }, systemEnvironment)
  copyLog({ ...request, to: `${from}.ended` }, systemEnvironment)
  expect(readFileSync(`${from}.as-it-is`, 'utf8')).toBe('one\ntwo')
  expect(readFileSync(`${from}.ended`, 'utf8')).toBe('one\ntwo\n')
})
