// hooks install, uninstall and status, with real files and an empty home.

import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, type TestContext } from 'vitest'
import { HOOK_EVENTS } from '../../../lib/hooks/handlers.js'
import { openContext } from '../../../lib/store/index.js'
import { PACKAGE_VERSION } from '../../../lib/version.js'
import { temporaryFolder } from '../../helpers/temporary.js'
import { answerOf, BINARY, runCli, spawnCli } from '../command-line.js'

const CRASH = fileURLToPath(new URL('../children/crash-at-byte.cjs', import.meta.url))

const THEIRS = `{
  "model": "opus",
  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] }
}`

function homeWith(t: TestContext, text?: string) {
  const home = temporaryFolder(t)
  const path = join(home, '.claude', 'settings.json')
  if (text !== undefined) {
    mkdirSync(dirname(path))
    writeFileSync(path, text)
  }
  const hooks = (...args: string[]) =>
    runCli(['hooks', ...args], { cwd: home, env: { HOME: home } })
  return { home, path, hooks, read: () => readFileSync(path, 'utf8') }
}

describe('hooks install', () => {
  it('shows the change and writes nothing without --apply', async (t) => {
    const { hooks, path, read } = homeWith(t, THEIRS)
    const shown = await hooks('install', '--agent', "o'neill")
    expect(shown.exitCode).toBe(0)
    expect(shown.stdout).toContain(`--- ${path}\n+++ ${path}\n`)
    expect(shown.stdout).toContain('+            "command": ')
    expect(shown.stderr).toBe(
      "Nothing was changed yet; do it with: jsonl-session hooks install --agent 'o'\\''neill' --apply\n",
    )
    expect(read()).toBe(THEIRS)
  })

  it('passes on --root and --home as absolute paths, and warns of a copy that npx may remove', async (t) => {
    const { hooks, home } = homeWith(t)
    const shown = await hooks('install', '--root', 'store', '--home', './mine')
    expect(shown.stdout).toContain(JSON.stringify(join(home, 'store')))
    expect(shown.stdout).toContain(JSON.stringify(join(home, 'mine')))
    const copy = join(home, '_npx', 'x', 'dist')
    mkdirSync(copy, { recursive: true })
    symlinkSync(dirname(BINARY), join(copy, 'bin'))
    const args = [join(copy, 'bin', 'jsonl-session.cjs'), 'hooks', 'install']
    const env = { HOME: home, PATH: process.env['PATH'] }
    const { stderr } = spawnSync(process.execPath, args, { cwd: home, env, encoding: 'utf8' })
    expect(stderr).toContain('npx may remove this copy at any time')
  })

  it('names the program itself where it was called by another name', async (t) => {
    const { home } = homeWith(t)
    symlinkSync(BINARY, join(home, 'sess'))
    const env = { HOME: home, PATH: process.env['PATH'] }
    const args = [join(home, 'sess'), 'hooks', 'install']
    const { stdout } = spawnSync(process.execPath, args, { cwd: home, env, encoding: 'utf8' })
    expect(stdout).toContain(JSON.stringify(BINARY))
    expect(stdout).not.toContain(join(home, 'sess'))
  })

  it('makes a file that uninstall would take away again, as a plan and as JSON', async (t) => {
    const { hooks, path } = homeWith(t)
    expect((await hooks('install', '--apply')).stdout).toContain(`--- /dev/null\n+++ ${path}\n`)
    const plan = await hooks('uninstall')
    expect(plan.stdout).toContain(`--- ${path}\n+++ /dev/null\n`)
    const planned = JSON.parse((await hooks('uninstall', '--json')).stdout)
    expect(planned).toMatchObject({ path, changed: true, applied: false })
    expect(existsSync(path)).toBe(true)
    await hooks('uninstall', '--apply')
    expect(existsSync(path)).toBe(false)
  })

  it('and uninstall after it leave the same bytes and the same mode', async (t) => {
    const { hooks, path, read } = homeWith(t, THEIRS)
    chmodSync(path, 0o640)
    const installed = await hooks('install', '--apply')
    expect(installed.stdout).toContain('SessionStart')
    expect(installed).toMatchObject({ exitCode: 0 })
    expect(Object.keys(JSON.parse(read()).hooks).sort()).toEqual([...HOOK_EVENTS].sort())
    expect(JSON.parse(read()).hooks.Stop).toHaveLength(2)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(await hooks('uninstall', '--apply')).toMatchObject({ exitCode: 0 })
    expect(read()).toBe(THEIRS)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(readdirSync(dirname(path))).toEqual(['settings.json'])
  })

  it('a second time changes nothing, and with another program replaces the old entries', async (t) => {
    const { hooks, read } = homeWith(t, THEIRS)
    await hooks('install', '--apply', '--command', 'name')
    const first = read()
    expect(await hooks('install', '--apply', '--command', 'name')).toMatchObject({ stdout: '' })
    expect(read()).toBe(first)
    await hooks('install', '--apply', '--runtime-path', 'plugin')
    const { hooks: found } = JSON.parse(read())
    expect(found.Stop).toHaveLength(2)
    expect(found.Stop[1].hooks).toEqual([
      {
        type: 'command',
        command: process.execPath,
        args: [BINARY, 'hook', 'Stop', '--runtime-path', 'plugin'],
        timeout: 5,
      },
    ])
    await hooks('uninstall', '--apply')
    expect(read()).toBe(THEIRS)
  })

  it('keeps a timeout that the user set, and adds only what is missing', async (t) => {
    const { hooks, read, path } = homeWith(t)
    await hooks('install', '--apply')
    const settings = JSON.parse(read())
    settings.hooks.Stop[0].hooks[0].timeout = 30
    delete settings.hooks.PreCompact
    writeFileSync(path, JSON.stringify(settings))
    await hooks('install', '--apply')
    expect(JSON.parse(read()).hooks.Stop[0].hooks[0].timeout).toBe(30)
    expect(JSON.parse(read()).hooks.PreCompact).toHaveLength(1)
  })

  it('in project scope relies on the PATH, because the file is shared', async (t) => {
    const { hooks, home } = homeWith(t)
    const answer = await hooks('install', '--scope', 'project', '--apply', '--json')
    const path = join(home, '.claude', 'settings.json')
    expect(JSON.parse(answer.stdout)).toMatchObject({ path, changed: true, applied: true })
    const { command } = JSON.parse(readFileSync(path, 'utf8')).hooks.Stop[0].hooks[0]
    expect(command).toBe('jsonl-session hook Stop')
    const umask = process.umask()
    expect(statSync(path).mode & 0o777).toBe(0o666 & ~umask)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o777 & ~umask)
  })

  it('honours CLAUDE_CONFIG_DIR', async (t) => {
    const home = temporaryFolder(t)
    const CLAUDE_CONFIG_DIR = join(home, 'elsewhere')
    const env = { HOME: home, CLAUDE_CONFIG_DIR }
    await runCli(['hooks', 'install', '--apply'], { env })
    expect(readdirSync(home)).toEqual(['elsewhere'])
    expect(readdirSync(CLAUDE_CONFIG_DIR)).toEqual(['settings.json'])
    expect(statSync(join(CLAUDE_CONFIG_DIR, 'settings.json')).mode & 0o777).toBe(0o600)
  })

  it('writes a call that runs, from a folder with spaces, in both forms', async (t) => {
    const { hooks, home, read } = homeWith(t)
    // Stands in for the program: it tells how it was called.
    const program = join(home, "my $(tools) it's", 'jsonl-session')
    mkdirSync(dirname(program))
    writeFileSync(program, 'console.log(JSON.stringify(process.argv.slice(2)))')
    const { installHooks } = await import('../../../lib/hooks/settings.js')
    const path = join(home, 'settings.json')
    for (const form of ['args', 'shell'] as const) {
      installHooks(openContext(), path, {
        form,
        node: process.execPath,
        program,
        args: ['--root', '/a b'],
      }).apply()
      const handler = JSON.parse(readFileSync(path, 'utf8')).hooks.Stop[0].hooks[0]
      const child =
        form === 'args'
          ? spawn(handler.command, handler.args)
          : spawn('sh', ['-c', handler.command])
      child.stdin.end()
      const { stdout, exitCode } = await answerOf(child)
      expect([JSON.parse(stdout), exitCode]).toEqual([['hook', 'Stop', '--root', '/a b'], 0])
    }
    await hooks('install', '--apply')
    expect(read()).toContain(BINARY)
  })
})

describe('a settings file that is not ours to guess about', () => {
  it.for([
    ['{ "a": 1, }', 'is not JSON (line 1, column 11)'],
    ['// mine\n{}', 'has a comment, and JSON has none'],
    ['', 'is empty'],
    ['{"hooks":[]}', 'has "hooks" that are not an object'],
  ])('%j is rejected and does not change', async ([text, word], t) => {
    const { hooks, read, path } = homeWith(t, text)
    for (const command of ['install', 'uninstall', 'status']) {
      const args = command === 'status' ? [command] : [command, '--apply']
      const answer = await hooks(...args)
      expect(answer).toMatchObject({ exitCode: 2, stdout: '' })
      expect(answer.stderr).toContain(`${path} ${word}`)
      expect(answer.stderr).toContain('ERR_SETTINGS')
    }
    expect(read()).toBe(text)
  })

  it('bytes that are not text, hard links and folders are rejected', async (t) => {
    const { hooks, path, home } = homeWith(t, '{}')
    linkSync(path, join(home, 'other-name'))
    expect((await hooks('install', '--apply')).stderr).toContain('hard links')
    const bytes = join(home, 'bytes.json')
    writeFileSync(bytes, Buffer.from('{"a":"\xff"}', 'latin1'))
    expect((await hooks('install', '--settings', bytes)).stderr).toContain('is not UTF-8')
    expect((await hooks('install', '--settings', home)).stderr).toContain('ERR_UNSAFE_PATH')
  })

  it('a link into dotfiles stays a link, and its target is updated', async (t) => {
    const { hooks, home, path } = homeWith(t)
    const target = join(home, 'dotfiles.json')
    writeFileSync(target, THEIRS)
    mkdirSync(dirname(path))
    symlinkSync('../dotfiles.json', path)
    await hooks('install', '--apply')
    expect(readlinkSync(path)).toBe('../dotfiles.json')
    expect(JSON.parse(readFileSync(target, 'utf8')).hooks.Stop).toHaveLength(2)
    await hooks('uninstall', '--apply')
    expect(readFileSync(target, 'utf8')).toBe(THEIRS)
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
  })

  it('a link that leads nowhere is not replaced by a file', async (t) => {
    const { hooks, path } = homeWith(t, '{}')
    const dangling = join(dirname(path), 'dangling.json')
    symlinkSync('/nonexistent/settings.json', dangling)
    const answer = await hooks('install', '--apply', '--settings', dangling)
    expect(answer.stderr).toContain('is a link that leads nowhere')
    expect(lstatSync(dangling).isSymbolicLink()).toBe(true)
  })

  it('a change by another program between reading and writing is not overwritten', async (t) => {
    const { path, read } = homeWith(t, THEIRS)
    const { installHooks } = await import('../../../lib/hooks/settings.js')
    const change = installHooks(openContext(), path, { form: 'name', node: '', program: '' })
    writeFileSync(path, '{"new":1}')
    expect(() => change.apply()).toThrow('changed by another process')
    expect(read()).toBe('{"new":1}')
  })
})

describe('a crash while settings are written', () => {
  it('at any byte leaves the old file or the new one, whole', async (t) => {
    const { hooks, path, read, home } = homeWith(t, THEIRS)
    await hooks('install', '--apply')
    const installed = read()
    await hooks('uninstall', '--apply')
    const size = Buffer.byteLength(installed)
    const crash = (CRASH_AT: string) =>
      spawnCli(['hooks', 'install', '--apply', '--quiet'], {
        nodeOptions: ['--require', CRASH],
        env: { HOME: home, CRASH_AT },
      })
    for (const bytes of [0, 1, 2, size >> 1, size - 1, size]) {
      expect((await crash(String(bytes))).exitCode, `after ${bytes} bytes`).toBeNull()
      expect(read(), `after ${bytes} bytes`).toBe(THEIRS)
    }
    expect((await crash('rename')).exitCode).toBeNull()
    expect(read()).toBe(THEIRS)
    expect((await crash('renamed')).exitCode).toBeNull()
    expect(read()).toBe(installed)
    await hooks('uninstall', '--apply')
    expect(read()).toBe(THEIRS)
    expect(dirname(path)).toBe(join(home, '.claude'))
  })

  it('kill -9 at any moment leaves the old file or the new one, whole', async (t) => {
    const { hooks, path, home, read } = homeWith(t, THEIRS)
    await hooks('install', '--apply')
    const wholes = [THEIRS, read()]
    const script = `
      const { installHooks, uninstallHooks } = await import(process.argv[1])
      const { openContext } = await import(new URL('../store/index.js', process.argv[1]))
      const store = openContext()
      const call = { form: 'args', node: process.execPath, program: ${JSON.stringify(BINARY)} }
      for (;;) {
        uninstallHooks(store, process.argv[2]).apply()
        installHooks(store, process.argv[2], call).apply()
        process.stdout.write('.')
      }`
    const module = new URL('../../../dist/modules/lib/hooks/settings.js', import.meta.url).href
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, module, path], {
        env: { HOME: home },
      })
      let dots = 0
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk: Buffer) => {
          dots += chunk.length
          if (dots > round * 3) resolve()
        })
      })
      child.kill('SIGKILL')
      await new Promise((resolve) => child.once('close', resolve))
      expect(wholes).toContain(read())
    }
  })
})

describe('hooks status', () => {
  it('shows for every event whether it is installed and whether its program exists', async (t) => {
    const { hooks, path, read } = homeWith(t)
    expect(await hooks('status')).toMatchObject({ exitCode: 1 })
    await hooks('install', '--apply')
    const well = await hooks('status', '--json')
    const { unused } = JSON.parse(well.stdout)
    expect(unused.events).toContain('MessageDisplay')
    expect(unused.events.filter((event: string) => HOOK_EVENTS.includes(event))).toEqual([])
    expect(well.exitCode).toBe(0)
    expect(JSON.parse(well.stdout)).toMatchObject({ path, complete: true, disabled: false })
    const settings = JSON.parse(read())
    delete settings.hooks.PreCompact
    settings.hooks.Stop[0].hooks[0].args[0] = '/gone/jsonl-session.cjs'
    writeFileSync(path, JSON.stringify(settings))
    const ill = await hooks('status')
    expect(ill.exitCode).toBe(1)
    expect(ill.stdout).toMatch(/^PreCompact +not installed$/m)
    expect(ill.stdout).toMatch(
      /^Stop +calls a program that does not exist: .*\/gone\/jsonl-session.cjs hook Stop$/m,
    )
    expect(ill.stdout).toMatch(new RegExp(`^SessionEnd +${BINARY}$`, 'm'))
    expect(ill.stderr).toContain('hooks install --apply corrects it')
  })

  it('names a program of another version, and one that is found by its name', async (t) => {
    const { home, hooks } = homeWith(t)
    const folder = join(realpathSync(home), 'old')
    mkdirSync(join(folder, 'dist/bin'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"name":"jsonl-session","version":"0.0.1"}')
    writeFileSync(join(folder, 'dist/bin/jsonl-session'), '', { mode: 0o755 })
    await hooks('install', '--apply', '--command', 'name')
    const env = { HOME: home, PATH: join(folder, 'dist/bin') }
    const { stdout, exitCode } = await runCli(['hooks', 'status'], { env })
    expect(exitCode).toBe(1)
    const drift = `(version 0.0.1, this is ${PACKAGE_VERSION})`
    expect(stdout).toContain(`${folder}/dist/bin/jsonl-session ${drift}`)
  })

  it('says when all hooks are switched off', async (t) => {
    const { hooks } = homeWith(t, '{"disableAllHooks": true}')
    expect((await hooks('install', '--apply')).stderr).toContain('no hook will run')
    expect(await hooks('status')).toMatchObject({ exitCode: 1 })
  })
})
