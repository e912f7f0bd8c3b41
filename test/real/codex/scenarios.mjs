// What the rig does with Codex. Each scenario lives through something in a HOME of its own; then the client
// itself resumes the session, and what it sends is the oracle.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Codex } from './driver.mjs'

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** A scenario of `codex exec`. `live(codex)` returns the id of the session to compare. */
function headless(name, live, { version = 'current', settings } = {}) {
  return {
    name,
    async run({ folder, server, installed }) {
      const codex = new Codex({ folder, server, ...installed[version], settings })
      return codex.outcome(await live(codex, { server, installed }))
    },
  }
}

/** Turns of `codex exec`, one after the other. */
function turns(name, prompts, options) {
  return headless(
    name,
    async (codex) => {
      let id
      for (const prompt of prompts) id = await codex.exec(prompt, { resume: id })
      return id
    },
    options,
  )
}

/** A scenario in the TUI. `live(codex, terminal)` may return the id of the session to compare. */
function screen(name, live, { version = 'current', settings } = {}) {
  return {
    name,
    needsTerminal: true,
    async run({ folder, server, installed }) {
      const codex = new Codex({ folder, server, ...installed[version], settings })
      const terminal = await codex.open()
      let id
      try {
        id = await live(codex, terminal, { server, installed })
      } finally {
        await codex.close(terminal)
      }
      return codex.outcome(id ?? codex.newestId())
    },
  }
}

async function say(codex, terminal, ...prompts) {
  for (const prompt of prompts) await codex.turn(terminal, prompt)
}

/** Takes back the last `count` turns; the next prompt takes their place. */
async function backtrack(codex, terminal, count) {
  const countReverts = () => codex.files().length + codex.count(/"type":"thread_rolled_back"/g)
  const before = countReverts()
  await terminal.press('Escape')
  await sleep(500)
  await terminal.press('Escape')
  await sleep(700)
  // The old version opens a view in which Escape selects the prompt before.
  const previous = /esc\/← to edit prev|Esc.*edit prev/i.test(terminal.screen()) ? 'Escape' : 'Left'
  for (let step = 1; step < count; step++) await terminal.press(previous)
  await terminal.press('Enter')
  await terminal.waitFor(() => countReverts() > before)
  await sleep(1000)
  // The prompt that was taken back is in the composer.
  await terminal.press('C-u', 'C-u')
  await sleep(300)
}

/** Ends a turn in the middle; the next turn continues the session. */
function killed(name, { prompt, when, version }) {
  return headless(
    name,
    async (codex, { server }) => {
      const id = await codex.exec('one')
      const asked = server.requests.length
      let since
      const killWhen = () => {
        if (!when(codex, server.requests.length - asked)) return false
        since ??= Date.now()
        return Date.now() - since > 700
      }
      await codex.exec(prompt, { resume: id, killWhen })
      await codex.exec('three', { resume: id })
      return id
    },
    { version },
  )
}

const CURRENT = [
  turns('plain', ['one', 'two']),
  turns('tools', ['one TOOL echo hello', 'two SAY TOOL ls', 'three TOOL false']),
  turns('parallel-tools', ['one TOOLS 3', 'two CHAIN 2']),
  turns('thinking', ['THINK one', 'two THINK SAY TOOL echo thought', 'three']),
  headless('images', async (codex) => {
    const picture = join(codex.home, 'dot.png')
    writeFileSync(picture, PNG)
    const id = await codex.exec('look', { args: ['-i', picture, '--'] })
    return codex.exec('and again', { resume: id })
  }),
  turns('long-output', ['one TOOL seq 1 9000', 'two BIG 8']),
  headless('agents-md', async (codex) => {
    writeFileSync(join(codex.project, 'AGENTS.md'), 'Answer in one word.\n')
    const id = await codex.exec('one')
    return codex.exec('two', { resume: id })
  }),
  screen('compact', async (codex, terminal) => {
    await say(codex, terminal, 'one TOOL echo first', 'two', '/compact', 'three')
  }),
  screen('compact-twice', async (codex, terminal) => {
    await say(codex, terminal, 'one', '/compact', 'two', '/compact', 'three')
  }),
  screen('compact-last', async (codex, terminal) => {
    await say(codex, terminal, 'one', 'two', '/compact')
  }),
  turns('compact-auto', ['one', 'two TOKENS 90000 TOOL echo much', 'three'], {
    settings: 'model_auto_compact_token_limit = 50000',
  }),
  screen('backtrack', async (codex, terminal) => {
    await say(codex, terminal, 'one', 'two TOOL echo two', 'three', 'four')
    await backtrack(codex, terminal, 2)
    await say(codex, terminal, 'three again')
  }),
  screen('backtrack-twice', async (codex, terminal) => {
    await say(codex, terminal, 'one', 'two', 'three')
    await backtrack(codex, terminal, 1)
    await say(codex, terminal, 'three again')
    await backtrack(codex, terminal, 2)
    await say(codex, terminal, 'two again')
  }),
  screen('backtrack-all', async (codex, terminal) => {
    await say(codex, terminal, 'one', 'two')
    await backtrack(codex, terminal, 2)
    await say(codex, terminal, 'one again')
  }),
  screen('backtrack-compact', async (codex, terminal) => {
    await say(codex, terminal, 'one', 'two', '/compact', 'three')
    await backtrack(codex, terminal, 2)
    await say(codex, terminal, 'two again')
  }),
  headless('fork', async (codex) => {
    const id = await codex.exec('one TOOL echo one')
    await codex.exec('two', { resume: id })
    const fork = await codex.exec('three of the fork', { fork: id })
    await codex.exec('three of the first', { resume: id })
    return fork
  }),
  headless('fork-source', async (codex) => {
    const id = await codex.exec('one')
    await codex.exec('two of the fork', { fork: id })
    return codex.exec('two of the first', { resume: id })
  }),
  headless('fork-of-fork', async (codex) => {
    const id = await codex.exec('one')
    const fork = await codex.exec('two', { fork: id })
    return codex.exec('three', { fork })
  }),
  screen('fork-of-backtrack', async (codex, terminal) => {
    await say(codex, terminal, 'one', 'two', 'three')
    await backtrack(codex, terminal, 2)
    await say(codex, terminal, 'two again')
    const source = codex.newestId()
    return codex.exec('three of the fork', { fork: source })
  }),
  turns('subagent', [
    'one CALL multi_agent_v1.spawn_agent {"message":"help TOOL echo helper","agent_type":"default"}',
    'two CALL multi_agent_v1.wait_agent {"targets":["$AGENT"],"timeout_ms":20000}',
    'three',
  ]),
  screen('subagent-waited', async (codex, terminal) => {
    await say(
      codex,
      terminal,
      'one',
      'two CALL multi_agent_v1.spawn_agent {"message":"help TOOL echo helper","fork_context":true}',
    )
    await sleep(3000)
    await say(codex, terminal, 'three')
    return codex.oldestId()
  }),
  screen('queued', async (codex, terminal) => {
    await say(codex, terminal, 'one')
    const before = codex.countTurns()
    await terminal.say('two SLOW 4')
    await sleep(1500)
    await terminal.say('queued while it runs')
    await terminal.waitFor(() => codex.countTurns() > before)
    await sleep(3000)
    await say(codex, terminal, 'three')
  }),
  turns('api-error', ['one', 'two FAIL 500', 'three']),
  screen('abort', async (codex, terminal) => {
    await say(codex, terminal, 'one')
    const before = codex.countTurns()
    await terminal.say('two SLOW 20')
    await sleep(2000)
    await terminal.press('Escape')
    await terminal.waitFor(() => codex.countTurns() > before)
    await sleep(500)
    await terminal.press('C-u')
    await say(codex, terminal, 'three')
  }),
  screen('abort-tool', async (codex, terminal) => {
    await say(codex, terminal, 'one')
    const before = codex.countTurns()
    await terminal.say('two TOOL sleep 30')
    await sleep(2500)
    await terminal.press('Escape')
    await terminal.waitFor(() => codex.countTurns() > before)
    await sleep(500)
    await terminal.press('C-u')
    await say(codex, terminal, 'three')
  }),
  killed('kill-tool', {
    prompt: 'two TOOL sleep 30',
    when: (codex) => codex.count(/"type":"function_call"/g) > 0,
  }),
  killed('kill-stream', { prompt: 'two SLOW 20', when: (_, asked) => asked > 0 }),
  headless(
    'kill-compaction',
    async (codex, { server }) => {
      const id = await codex.exec('one')
      await codex.exec('two TOKENS 90000', { resume: id })
      const isCompacting = () =>
        server.requests.some(({ body }) => /CHECKPOINT COMPACTION/.test(JSON.stringify(body.input)))
      await codex.exec('three SLOWCOMPACT 20', { resume: id, killWhen: isCompacting })
      codex.configure('')
      return codex.exec('four', { resume: id })
    },
    { settings: 'model_auto_compact_token_limit = 50000' },
  ),
  screen('shell-command', async (codex, terminal) => {
    await say(codex, terminal, 'one')
    await terminal.say('!echo from the person')
    await sleep(2500)
    await say(codex, terminal, 'two')
  }),
  screen('rename', async (codex, terminal) => {
    await say(codex, terminal, 'one')
    await terminal.say('/rename a good name')
    await sleep(2000)
    await say(codex, terminal, 'two')
  }),
]

const OLD = [
  turns('old-plain', ['one TOOL echo hello', 'two THINK', 'three TOOLS 2'], { version: 'old' }),
  screen(
    'old-compact',
    async (codex, terminal) => {
      await say(codex, terminal, 'one', 'two', '/compact', 'three')
    },
    { version: 'old' },
  ),
  screen(
    'old-compact-twice',
    async (codex, terminal) => {
      await say(codex, terminal, 'one', '/compact', 'two', '/compact', 'three')
    },
    { version: 'old' },
  ),
  screen(
    'old-backtrack',
    async (codex, terminal) => {
      await say(codex, terminal, 'one', 'two TOOL echo two', 'three', 'four')
      await backtrack(codex, terminal, 2)
      await say(codex, terminal, 'three again')
    },
    { version: 'old' },
  ),
  screen(
    'old-backtrack-all',
    async (codex, terminal) => {
      await say(codex, terminal, 'one', 'two')
      await backtrack(codex, terminal, 2)
      await say(codex, terminal, 'one again')
    },
    { version: 'old' },
  ),
  screen(
    'old-backtrack-shell',
    async (codex, terminal) => {
      await say(codex, terminal, 'one', 'two')
      await terminal.say('!echo from the person')
      await sleep(2500)
      await say(codex, terminal, 'three')
      await backtrack(codex, terminal, 2)
      await say(codex, terminal, 'two again')
    },
    { version: 'old' },
  ),
  screen(
    'old-backtrack-compact',
    async (codex, terminal) => {
      await say(codex, terminal, 'one', 'two', '/compact', 'three')
      await backtrack(codex, terminal, 2)
      await say(codex, terminal, 'two again')
    },
    { version: 'old' },
  ),
  killed('old-kill-tool', {
    prompt: 'two TOOL sleep 30',
    when: (codex) => codex.count(/"type":"function_call"/g) > 0,
    version: 'old',
  }),
  screen(
    'old-abort',
    async (codex, terminal) => {
      await say(codex, terminal, 'one')
      const before = codex.countTurns()
      await terminal.say('two SLOW 20')
      await sleep(2000)
      await terminal.press('Escape')
      await terminal.waitFor(() => codex.countTurns() > before)
      await terminal.press('C-u')
      await say(codex, terminal, 'three')
    },
    { version: 'old' },
  ),
  screen(
    'old-then-new',
    async (codex, terminal, { installed }) => {
      await say(codex, terminal, 'one', 'two', 'three')
      await backtrack(codex, terminal, 1)
      await say(codex, terminal, 'three again')
      const id = codex.newestId()
      await codex.close(terminal)
      codex.switchTo(installed.current.program)
      await codex.exec('four', { resume: id })
      return id
    },
    { version: 'old' },
  ),
]

export const SCENARIOS = [...CURRENT, ...OLD]
