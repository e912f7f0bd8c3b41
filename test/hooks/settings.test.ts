// Our entries in somebody's settings: put in, told of, taken out, and nothing else touched.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, type TestContext, test } from 'vitest'
import { systemEnvironment } from '../../lib/environment/index.js'
import { readInput } from '../../lib/hooks/read-input.js'
import {
  findSettingsPath,
  HOOK_CLIENTS,
  installHooks,
  readHooksStatus,
  uninstallHooks,
} from '../../lib/hooks/settings.js'
import { openContext } from '../../lib/store/index.js'
import { temporaryFile, temporaryFolder } from '../helpers/temporary.js'

const CALL = { form: 'name', node: process.execPath, program: '/opt/jsonl-session' } as const
const newPath = (t: TestContext) => join(temporaryFolder(t), 'settings.json')

test('what is put into settings that are not there is taken out again without a trace', (t) => {
  const path = newPath(t)
  expect(readHooksStatus(openContext(), path)).toMatchObject({
    exists: false,
    complete: false,
    disabled: false,
  })
  const change = installHooks(openContext(), path, CALL)
  expect(change).toMatchObject({ changed: true, before: undefined })
  expect(existsSync(path), 'not before it is applied').toBe(false)
  change.apply()
  const text = readFileSync(path, 'utf8')
  expect(text).toBe(change.after)
  const again = installHooks(openContext(), path, CALL)
  expect(again.changed).toBe(false)
  again.apply()
  expect(readFileSync(path, 'utf8')).toBe(text)
  const status = readHooksStatus(openContext(), path, '')
  expect(status.exists).toBe(true)
  expect(status.events.every(({ installed }) => installed)).toBe(true)
  expect(status.complete, 'the program is not found there').toBe(false)
  uninstallHooks(openContext(), path).apply()
  expect(readHooksStatus(openContext(), path).events.some(({ installed }) => installed)).toBe(false)
  expect(uninstallHooks(openContext(), newPath(t))).toMatchObject({
    changed: false,
    after: undefined,
  })
})

test('what others wrote stays, an entry of another call is replaced, a missing one is added', (t) => {
  const own = {
    model: 'opus',
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'beep' }] }] },
  }
  const path = temporaryFile(t, 'settings.json', `${JSON.stringify(own, null, 2)}\n`)
  installHooks(openContext(), path, CALL).apply()
  const installed = JSON.parse(readFileSync(path, 'utf8')) as { hooks: Record<string, unknown[]> }
  expect(installed).toMatchObject({ model: 'opus' })
  expect(JSON.stringify(installed.hooks['Stop'])).toContain('beep')
  const [event] = Object.keys(installed.hooks).filter((name) => name !== 'Stop')
  const { [event!]: _, ...rest } = installed.hooks
  writeFileSync(path, JSON.stringify({ ...installed, hooks: rest }))
  expect(readHooksStatus(openContext(), path).events.find((it) => it.event === event)).toEqual({
    event,
    installed: false,
  })
  installHooks(openContext(), path, CALL).apply()
  expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).hooks)).toContain(event)
  const twice = JSON.parse(readFileSync(path, 'utf8')) as typeof installed
  twice.hooks[event!]!.push(...twice.hooks[event!]!)
  writeFileSync(path, JSON.stringify(twice))
  installHooks(openContext(), path, CALL).apply()
  expect(JSON.parse(readFileSync(path, 'utf8')).hooks[event!]).toHaveLength(1)
  uninstallHooks(openContext(), path).apply()
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(own)
})

test('settings that turn hooks off are reported', (t) => {
  const path = temporaryFile(t, 'settings.json', '{"disableAllHooks": true}')
  expect(installHooks(openContext(), path, CALL).disabled).toBe(true)
  expect(readHooksStatus(openContext(), path)).toMatchObject({ disabled: true, complete: false })
})

test('each client has its own file, events and unit of time, and gets back the same bytes', (t) => {
  const own = `${JSON.stringify({ general: { vimMode: true }, hooks: { Other: [] } }, null, 2)}\n`
  // OpenCode has a plugin and no settings: opencode.test.ts.
  const clients = HOOK_CLIENTS.filter(({ name }) => name !== 'opencode')
  const calls = clients.map(({ name, events }) => {
    const path = temporaryFile(t, `${name}.json`, own)
    const call = { ...CALL, args: ['--agent', 'a'] }
    installHooks(openContext(), path, call, name).apply()
    expect(installHooks(openContext(), path, call, name).changed).toBe(false)
    const status = readHooksStatus(openContext(), path, '', name)
    expect(status).toMatchObject({ client: name, disabled: false })
    expect(status.events.map(({ event, installed }) => installed && event)).toEqual(events)
    const { hooks } = JSON.parse(readFileSync(path, 'utf8'))
    uninstallHooks(openContext(), path, name).apply()
    expect(readFileSync(path, 'utf8')).toBe(own)
    return hooks['SessionStart'][0].hooks[0]
  })
  expect(calls).toEqual([
    { type: 'command', command: 'jsonl-session hook SessionStart --agent a', timeout: 5 },
    {
      type: 'command',
      command: 'jsonl-session hook SessionStart --for gemini --agent a',
      timeout: 5000,
    },
    {
      type: 'command',
      command: 'jsonl-session hook SessionStart --for codex --agent a',
      timeout: 3,
    },
  ])
})

test('the file of a client is in the home, in the folder of its variable, or in the project', () => {
  const place = { cwd: '/app', home: '/home/ada', env: {} }
  expect(findSettingsPath('gemini', 'user', place)).toBe('/home/ada/.gemini/settings.json')
  expect(findSettingsPath('codex', 'project', place)).toBe('/app/.codex/hooks.json')
  const env = { CODEX_HOME: '/etc/codex', GEMINI_CLI_HOME: '/srv', CLAUDE_CONFIG_DIR: 'c' }
  expect(findSettingsPath('codex', 'user', { ...place, env })).toBe('/etc/codex/hooks.json')
  expect(findSettingsPath('gemini', 'user', { ...place, env })).toBe('/srv/.gemini/settings.json')
  expect(findSettingsPath('claude-code', 'user', { ...place, env })).toBe('/app/c/settings.json')
})

test('Gemini CLI turns hooks off in its own way', (t) => {
  const path = temporaryFile(t, 'settings.json', '{"hooksConfig": {"enabled": false}}')
  expect(readHooksStatus(openContext(), path, '', 'gemini').disabled).toBe(true)
  expect(readHooksStatus(openContext(), path, '', 'codex').disabled).toBe(false)
})

test('settings that cannot be read are named with the place, and stay as they are', (t) => {
  for (const text of ['{"hooks": ', '[]', '{"hooks": 5}', '['.repeat(100_000)]) {
    const path = temporaryFile(t, 'settings.json', text)
    const wrong = expect.objectContaining({ code: 'ERR_SETTINGS' }) as Error
    expect(() => installHooks(openContext(), path, CALL)).toThrow(wrong)
    expect(() => uninstallHooks(openContext(), path)).toThrow(wrong)
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('the input of a hook is one JSON object, or a reason why there is none', async () => {
  const read = (text: string) => {
    const pipe = new PassThrough()
    pipe.end(text)
    return readInput(systemEnvironment, { stdin: pipe as unknown as NodeJS.ReadStream })
  }
  expect(await read('{"a":1}')).toEqual({ fields: { a: 1 } })
  const problems = ['', 'nonsense', '[]', 'null', `"${'x'.repeat(8 * 1024 * 1024)}"`]
  for (const text of problems) expect(await read(text)).toHaveProperty('problem')
  const terminal = { isTTY: true } as NodeJS.ReadStream
  expect(await readInput(systemEnvironment, { stdin: terminal })).toHaveProperty('problem')
})
