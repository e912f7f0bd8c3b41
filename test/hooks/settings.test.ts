// Our entries in somebody's settings: put in, told of, taken out, and nothing else touched.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, type TestContext, test } from 'vitest'
import { readInput } from '../../lib/hooks/read-input.js'
import { installHooks, readHooksStatus, uninstallHooks } from '../../lib/hooks/settings.js'
import { temporaryFile, temporaryFolder } from '../helpers/temporary.js'

const CALL = { form: 'name', node: process.execPath, program: '/opt/jsonl-session' } as const
const newPath = (t: TestContext) => join(temporaryFolder(t), 'settings.json')

test('what is put into settings that are not there is taken out again without a trace', (t) => {
  const path = newPath(t)
  expect(readHooksStatus(path)).toMatchObject({
    exists: false,
    isComplete: false,
    isDisabled: false,
  })
  const change = installHooks(path, CALL)
  expect(change).toMatchObject({ isChange: true, before: undefined })
  expect(existsSync(path), 'not before it is applied').toBe(false)
  change.apply()
  const text = readFileSync(path, 'utf8')
  expect(text).toBe(change.after)
  const again = installHooks(path, CALL)
  expect(again.isChange).toBe(false)
  again.apply()
  expect(readFileSync(path, 'utf8')).toBe(text)
  const status = readHooksStatus(path, '')
  expect(status.exists).toBe(true)
  expect(status.events.every(({ isInstalled }) => isInstalled)).toBe(true)
  expect(status.isComplete, 'the program is not found there').toBe(false)
  uninstallHooks(path).apply()
  expect(readHooksStatus(path).events.some(({ isInstalled }) => isInstalled)).toBe(false)
  expect(uninstallHooks(newPath(t))).toMatchObject({ isChange: false, after: undefined })
})

test('what others wrote stays, an entry of another call is replaced, a missing one is added', (t) => {
  const own = {
    model: 'opus',
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'beep' }] }] },
  }
  const path = temporaryFile(t, 'settings.json', `${JSON.stringify(own, null, 2)}\n`)
  installHooks(path, CALL).apply()
  const installed = JSON.parse(readFileSync(path, 'utf8')) as { hooks: Record<string, unknown[]> }
  expect(installed).toMatchObject({ model: 'opus' })
  expect(JSON.stringify(installed.hooks['Stop'])).toContain('beep')
  const [event] = Object.keys(installed.hooks).filter((name) => name !== 'Stop')
  const { [event!]: _, ...rest } = installed.hooks
  writeFileSync(path, JSON.stringify({ ...installed, hooks: rest }))
  expect(readHooksStatus(path).events.find((it) => it.event === event)).toEqual({
    event,
    isInstalled: false,
  })
  installHooks(path, CALL).apply()
  expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).hooks)).toContain(event)
  const twice = JSON.parse(readFileSync(path, 'utf8')) as typeof installed
  twice.hooks[event!]!.push(...twice.hooks[event!]!)
  writeFileSync(path, JSON.stringify(twice))
  installHooks(path, CALL).apply()
  expect(JSON.parse(readFileSync(path, 'utf8')).hooks[event!]).toHaveLength(1)
  uninstallHooks(path).apply()
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(own)
})

test('settings that switch hooks off are told of', (t) => {
  const path = temporaryFile(t, 'settings.json', '{"disableAllHooks": true}')
  expect(installHooks(path, CALL).isDisabled).toBe(true)
  expect(readHooksStatus(path)).toMatchObject({ isDisabled: true, isComplete: false })
})

test('settings that cannot be read are named with the place, and stay as they are', (t) => {
  for (const text of ['{"hooks": ', '[]', '{"hooks": 5}', '['.repeat(100_000)]) {
    const path = temporaryFile(t, 'settings.json', text)
    const wrong = expect.objectContaining({ code: 'ERR_SETTINGS' }) as Error
    expect(() => installHooks(path, CALL)).toThrow(wrong)
    expect(() => uninstallHooks(path)).toThrow(wrong)
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('the input of a hook is one JSON object, or a reason why there is none', async () => {
  const read = (text: string) => {
    const pipe = new PassThrough()
    pipe.end(text)
    return readInput({ stdin: pipe as unknown as NodeJS.ReadStream })
  }
  expect(await read('{"a":1}')).toEqual({ fields: { a: 1 } })
  const problems = ['', 'nonsense', '[]', 'null', `"${'x'.repeat(8 * 1024 * 1024)}"`]
  for (const text of problems) expect(await read(text)).toHaveProperty('problem')
  const terminal = { isTTY: true } as NodeJS.ReadStream
  expect(await readInput({ stdin: terminal })).toHaveProperty('problem')
})
