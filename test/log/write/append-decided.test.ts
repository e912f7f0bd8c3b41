// An append that depends on what the log holds, decided under its lock.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readLogSync } from '../../../lib/log/index.js'
import { appendDecided, type OpenLog, undecodedLines } from '../../../lib/log/internal.js'
import { temporaryFolder } from '../../helpers/temporary.js'

const note = (uuid: string) => ({ type: 'acme.note', payload: {}, prev_uuid: null, uuid })

function pathOf(): string {
  return join(temporaryFolder({ onTestFinished }), 'log.jsonl')
}

const linesIn = (log: OpenLog) => [...undecodedLines(log)].length

test('the decision sees every line that was written before it', async () => {
  const path = pathOf()
  const seen: number[] = []
  const decide = (log: OpenLog) => {
    seen.push(linesIn(log))
    return [note(`n${seen.length}`)]
  }
  await Promise.all(Array.from({ length: 10 }, () => appendDecided(path, decide, {})))
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect([...readLogSync(path)]).toHaveLength(10)
})

test('nothing decided, nothing written', async () => {
  const path = pathOf()
  expect(await appendDecided(path, () => [], {})).toEqual([])
  expect(readFileSync(path, 'utf8')).toBe('')
})

test('a decision that throws releases the lock', async () => {
  const path = pathOf()
  const fail = () => {
    throw new Error('undecided')
  }
  await expect(appendDecided(path, fail, {})).rejects.toThrow('undecided')
  expect(existsSync(`${path}.lock`)).toBe(false)
  expect(await appendDecided(path, () => [note('n')], {})).toMatchObject([{ uuid: 'n' }])
})

test('what is decided is checked like any event', async () => {
  const path = pathOf()
  const decide = () => [{ type: 'user', payload: { content: 'hi' } }]
  const appended = appendDecided(path, decide, { channel: 'checkpoint' })
  await expect(appended).rejects.toMatchObject({ code: 'ERR_WRONG_LOG_KIND' })
  expect(readFileSync(path, 'utf8')).toBe('')
})
