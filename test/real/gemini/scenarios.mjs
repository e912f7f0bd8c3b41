// What people do with Gemini CLI, each in a home of its own. The client has no forks; saved chats
// (`/resume save`) are the nearest.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GeminiHome } from './driver.mjs'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const scenarios = [
  headless('plain', (client) => client.ask('hello')),
  headless('tools', (client) => client.ask('SAY TOOL echo one')),
  headless('parallel-tools', (client) => client.ask('TOOLS 3')),
  headless('tools-in-turn', (client) => client.ask('CHAIN 3')),
  headless('thinking', (client) => client.ask('THINK TOOLS 2')),
  headless('failed-tool', (client) => client.ask('CALL read_file {"file_path":"missing.txt"}')),
  headless('unknown-tool', (client) => client.ask('CALL no_such_tool {"a":1}')),
  headless('long-output', (client) => client.ask('TOOL seq 1 1200')),
  headless('image-in-a-prompt', async (client) => {
    writePicture(client)
    await client.ask('what is in @picture.png here')
  }),
  headless('image-from-a-tool', async (client) => {
    writePicture(client)
    await client.ask('CALL read_file {"file_path":"picture.png"}')
  }),
  headless('question-mark', async (client) => {
    await client.ask('before')
    await resume(client, '? is not sent again')
  }),
  headless('subagent', async (client) => {
    await client.ask('CALL invoke_agent {"agent_name":"codebase_investigator","prompt":"look"}')
    await resume(client, 'after the subagent')
  }),
  headless('api-error', async (client) => {
    await client.ask('before')
    await resume(client, 'FAIL 400')
    await resume(client, 'after')
  }),
  headless('resumed', async (client) => {
    await client.ask('SAY TOOL echo one')
    await resume(client, 'THINK TOOLS 2')
    await resume(client, 'third')
  }),
  headless('resumed-later', async (client) => {
    await client.ask('TOOL echo one')
    backdate(client, 10)
    await resume(client, 'second')
    backdate(client, 20)
    await resume(client, 'THINK TOOLS 2')
  }),
  headless('older-json', async (client) => {
    await client.ask('SAY TOOLS 2')
    await resume(client, 'second')
    toOlderJson(client)
  }),
  headless('older-json-resumed', async (client) => {
    await client.ask('TOOL echo one')
    toOlderJson(client)
    backdate(client, 10)
    await resume(client, 'second')
  }),
  headless('killed-in-a-tool', async (client) => {
    await client.ask('before')
    await killAt(client, 'TOOL sleep 60', () => client.waitForCommand('sleep 60'))
  }),
  headless('killed-in-a-stream', async (client) => {
    await client.ask('before')
    await killAt(client, 'HANG', () => client.waitForRequest('HANG'))
  }),
  headless('killed-and-resumed', async (client) => {
    await client.ask('before')
    await killAt(client, 'TOOL sleep 60', () => client.waitForCommand('sleep 60'))
    await resume(client, 'after')
  }),
  screen('screen', async (client) => {
    await client.say('hello')
    await client.say('THINK TOOLS 2', /REPLY-2/)
  }),
  screen('shell-mode', async (client, terminal) => {
    await client.enter('!echo by-hand', /by-hand[\s\S]*by-hand/)
    await terminal.press('Escape')
    await client.say('what did I run', /REPLY-1/)
  }),
  screen('queued-prompts', async (client, terminal) => {
    await client.submit('SLOW 4 first')
    await terminal.say('second')
    await terminal.say('third')
    await client.waitForIdle(/REPLY-2/)
  }),
  screen('cancelled-in-a-stream', async (client, terminal) => {
    await client.say('before', /REPLY-1/)
    await client.submit('HANG')
    await sleep(500)
    await terminal.press('Escape')
    await client.waitForIdle(/cancelled/i)
    await client.say('after', /REPLY-\d to \[after/)
  }),
  screen('cancelled-in-a-tool', async (client, terminal) => {
    await client.say('before', /REPLY-1/)
    await client.submit('TOOL sleep 60')
    await client.waitForCommand('sleep 60')
    await sleep(500)
    await terminal.press('Escape')
    await client.waitForIdle(/cancelled/i)
    await client.say('after', /REPLY-\d to \[after/)
  }),
  screen('compressed', compressOnce),
  screen('compressed-twice', async (client, terminal) => {
    await compressOnce(client, terminal)
    await client.say('TOOL seq 1 600', /REPLY-\d to \[TOOL seq 1 600/)
    await compress(client, terminal, 2)
    await client.say('at the end', /REPLY-\d to \[at the end/)
  }),
  screen('compressed-by-itself', async (client) => {
    await client.say('one TOOL seq 1 900', /REPLY-1/)
    await client.say('two TOKENS 900000', /REPLY-2/)
    await client.say('three', /REPLY-3/)
  }),
  screen('rewound', async (client, terminal) => {
    await client.say('one', /REPLY-1/)
    await client.say('two TOOL echo two', /REPLY-2/)
    await client.say('three', /REPLY-3/)
    await rewind(client, terminal)
    await client.say('instead', /REPLY-4/)
  }),
  screen('rewound-after-compressed', async (client, terminal) => {
    await compressOnce(client, terminal)
    await client.say('more', /REPLY-\d to \[more/)
    await rewind(client, terminal)
    await client.say('instead', /REPLY-\d to \[instead/)
  }),
  screen('saved-chat', async (client, terminal) => {
    await client.say('one TOOL echo one', /REPLY-1/)
    await client.enter('/resume save point', /saved with tag/i)
    await client.say('two', /REPLY-2/)
    await terminal.say('/resume resume point')
    await terminal.waitFor(/REPLY-1[\s\S]*Type your message/)
    await sleep(1000)
    await client.say('instead', /REPLY-3/)
  }),
  screen('resumed-on-the-screen', async (client) => {
    await client.say('TOOLS 2', /REPLY-1/)
    await client.quit()
    await client.open('--resume', client.sessionIds()[0])
    await client.say('second', /REPLY-2/)
  }),
  {
    name: 'killed-in-a-compression',
    needsTerminal: true,
    async run(context) {
      const client = new GeminiHome(context)
      const terminal = await client.open()
      await client.say('SLOWCOMPACT 60 TOOL seq 1 900', /REPLY-1/)
      await client.say('two', /REPLY-2/)
      await terminal.say('/compress')
      await client.waitForRequest('state_snapshot', 30)
      await sleep(500)
      terminal.kill()
      terminal.close()
      return client.probe()
    },
  },
]

/** A scenario without a screen. */
function headless(name, live) {
  return {
    name,
    async run(context) {
      const client = new GeminiHome(context)
      await live(client)
      return client.probe()
    },
  }
}

/** A scenario on the screen, which ends with `/quit`. */
function screen(name, live) {
  return {
    name,
    needsTerminal: true,
    async run(context) {
      const client = new GeminiHome(context)
      await live(client, await client.open())
      await client.quit()
      return client.probe()
    },
  }
}

function resume(client, prompt) {
  return client.ask(prompt, '--resume', client.sessionIds()[0])
}

async function killAt(client, prompt, isThere) {
  const started = client.start(prompt, '--resume', client.sessionIds()[0])
  await isThere()
  await sleep(500)
  started.kill()
  await started.ended
}

async function compressOnce(client, terminal) {
  await client.say('one TOOL seq 1 900', /REPLY-1/)
  await client.say('two', /REPLY-2/)
  await compress(client, terminal, 1)
  await client.say('after', /REPLY-\d to \[after/)
}

async function compress(client, terminal, times) {
  const isDone = () => (terminal.screen().match(/compressed from/gi) ?? []).length >= times
  await client.enter('/compress', isDone)
  await sleep(500)
}

/** Rewinds the last prompt. */
async function rewind(client, terminal) {
  await client.enter('/rewind', /Stay at current position/)
  await terminal.press('Up', 'Enter')
  await terminal.waitFor(/Confirm Rewind/)
  await terminal.press('Enter')
  await terminal.waitFor(() => !/Confirm Rewind/.test(terminal.screen()))
  await sleep(500)
  // The client offers the text of the rewound prompt again.
  await terminal.press('C-u')
  await terminal.waitFor(/Type your message/)
}

function writePicture({ project }) {
  writeFileSync(join(project, 'picture.png'), Buffer.from(PNG, 'base64'))
}

/** As if the newest file had been begun some minutes ago: a resume in another minute writes a new file. */
function backdate(client, minutes) {
  const path = client.chats().at(-1)
  const name = basename(path).replace(/T\d\d-\d\d/, `T00-${String(minutes).padStart(2, '0')}`)
  renameSync(path, join(dirname(path), name))
}

/** The structure of older chats: one object, on many lines. */
function toOlderJson(client) {
  const [path] = client.chats()
  const messages = new Map()
  let facts = {}
  for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
    const { $set, ...record } = JSON.parse(line)
    if ($set?.messages !== undefined) messages.clear()
    for (const message of $set?.messages ?? []) messages.set(message.id, message)
    if (typeof record.id === 'string') messages.set(record.id, record)
    else {
      const { messages: _, ...others } = $set ?? record
      facts = { ...facts, ...others }
    }
  }
  const whole = { ...facts, messages: [...messages.values()] }
  writeFileSync(path.replace(/jsonl$/, 'json'), JSON.stringify(whole, null, 2))
  rmSync(path)
}
