// A hook as its harness meets it: a whole process per event, the start of Node included.

import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareTimes, inRandomOrder } from '../harness.mjs'
import { BINARY, loadSessions } from '../library.mjs'
import { timeProcess } from '../processes.mjs'

const PROJECT = '/home/ada/shop'
const SESSIONS = 10_000
/** Made by the library; the others are copies of these. */
const ORIGINALS = 100
// How many of them left a checkpoint, as longer sessions do.
const CHECKPOINTED_EVERY = 20

const BARE_APPEND = `
const fs = require('node:fs')
const fd = fs.openSync(process.argv[1], 'a', 0o600)
fs.writeSync(fd, fs.readFileSync(0))
fs.fdatasyncSync(fd)
`

/** The hooks of a turn with one tool call. */
const TURN = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop']

export const hookCases = [
  {
    name: 'hooks',
    durability: 'turn',
    rows: [
      {
        against: 'UserPromptSubmit, to node with one synced append',
        unit: '× time',
        target: { most: 1.35 },
      },
      {
        against: 'SessionStart among 10,000 sessions, to node -e 0',
        unit: '× time',
        target: { most: 1.6 },
      },
      ...TURN.map((name) => ({
        against: `${name} with the transcript of the client, to node -e 0`,
        unit: '× time',
        ...(name !== 'PostToolBatch' && { target: { most: 1.35 } }),
      })),
    ],
    async measure({ folder, isQuick }) {
      await makeStore(folder)
      const rounds = isQuick ? 8 : 40
      const times = { ...(await sample(waysIn(folder), rounds)) }
      Object.assign(times, sampleTurns(folder, rounds))
      check(folder, times)
      return [
        compared(times, 'prompt', 'append'),
        compared(times, 'start', 'node'),
        ...TURN.map((name) => compared(times, name, 'node')),
      ]
    },
  },
]

/** Each way is called with a number that no other call of it gets. */
function waysIn(folder) {
  const event = (fields) => JSON.stringify({ cwd: PROJECT, ...fields })
  const hook = (number, name, fields) =>
    timeProcess([BINARY, 'hook', name, '--root', folder, '--home', folder], event(fields(number)))
  const prompt = (number) => ({
    session_id: 'demo',
    prompt_id: `prompt-${number}`,
    prompt: `what does part ${number} do?`,
  })
  const bare = join(folder, 'bare')
  const append = (number) => timeProcess(['-e', BARE_APPEND, bare], event(prompt(number)))
  const node = () => timeProcess(['-e', '0'])
  return {
    ...{ node, nodeAgain: node, append, appendAgain: append },
    prompt: (number) => hook(number, 'UserPromptSubmit', prompt),
    start: (number) =>
      hook(number, 'SessionStart', () => ({ session_id: `new-${number}`, source: 'startup' })),
  }
}

async function sample(ways, rounds) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  // The first of each finds nothing in the caches.
  let number = 0
  for (const way of Object.values(ways)) way(number++)
  await inRandomOrder(Object.keys(ways), rounds, (name) => {
    times[name].push(ways[name](number++))
  })
  return times
}

/** Turns of a client that writes its own transcript, too: the hooks depend on each other's order. */
function sampleTurns(folder, rounds) {
  const client = new Client(join(folder, 'client.jsonl'))
  const times = Object.fromEntries([...TURN, 'node', 'nodeAgain'].map((name) => [name, []]))
  for (let number = 0; number < rounds + 2; number++) {
    for (const [name, run] of Object.entries(turnOf(folder, client, number))) {
      const micros = run()
      // The first two find nothing in the caches.
      if (number > 1) times[name].push(micros)
    }
  }
  return times
}

function turnOf(folder, client, number) {
  const id = `call-${number}`
  const tool = { tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'true' } }
  const hook = (name, fields) => {
    const event = { session_id: 'turns', transcript_path: client.path, cwd: PROJECT, ...fields }
    const args = [BINARY, 'hook', name, '--root', folder, '--home', folder]
    return timeProcess(args, JSON.stringify(event))
  }
  const prompt = `prompt ${number}`
  const use = { type: 'tool_use', id, name: 'Bash', input: { command: 'true' } }
  const result = { type: 'tool_result', tool_use_id: id, content: 'ok' }
  const text = (said) => ({ type: 'text', text: said })
  return {
    node: () => timeProcess(['-e', '0']),
    UserPromptSubmit: () => hook('UserPromptSubmit', { prompt, prompt_id: prompt }),
    PreToolUse: () => {
      client.write('user', prompt)
      client.write('assistant', [text(`text ${number}`), use])
      return hook('PreToolUse', tool)
    },
    PostToolUse: () => hook('PostToolUse', { ...tool, tool_response: { stdout: 'ok' } }),
    PostToolBatch: () => {
      client.write('user', [result])
      return hook('PostToolBatch', { tool_calls: [{ ...tool, tool_response: 'ok' }] })
    },
    Stop: () => {
      client.write('assistant', [text(`end ${number}`)])
      return hook('Stop', { prompt_id: prompt, last_assistant_message: `end ${number}` })
    },
    nodeAgain: () => timeProcess(['-e', '0']),
  }
}

/** The transcript of Claude Code, as far as the hooks read it. */
class Client {
  #last = null
  #lines = 0

  constructor(path) {
    this.path = path
  }

  write(type, content) {
    const uuid = `line-${++this.#lines}`
    const message = { role: type, id: `message-${uuid}`, content }
    const timestamp = new Date().toISOString()
    const line = { type, uuid, parentUuid: this.#last, sessionId: 'turns', timestamp, message }
    appendFileSync(this.path, `${JSON.stringify(line)}\n`)
    this.#last = uuid
  }
}

function compared(times, ours, baseline) {
  const all = { ours: times[ours], baseline: times[baseline], again: times[`${baseline}Again`] }
  const result = compareTimes(all)
  return { ...result, value: 1 / result.ratio, valueP25: 1 / result.ratioP25 }
}

async function makeStore(folder) {
  const { createSession } = await loadSessions()
  const options = { root: folder, home: folder, project: PROJECT, durability: 'none' }
  for (let number = 0; number < ORIGINALS; number++) {
    const isLasting = number % CHECKPOINTED_EVERY === 0
    const continuity = isLasting ? {} : false
    const session = await createSession({ ...options, id: `old-${number}`, continuity })
    await session.prompt(`prompt ${number}`)
    await session.close()
  }
  const transcripts = join(folder, '.transcripts')
  for (let number = ORIGINALS; number < SESSIONS; number++) {
    const original = `old-${number % ORIGINALS}`
    const text = readFileSync(join(transcripts, `${original}.jsonl`), 'utf8')
    // Without the checksums of lines that are changed here.
    const copy = text
      .replaceAll(`"${original}"`, `"old-${number}"`)
      .replaceAll(/,"crc":"[^"]*"/g, '')
    writeFileSync(join(transcripts, `old-${number}.jsonl`), copy)
  }
  writeFileSync(join(folder, 'bare'), '')
}

/** What was measured must have been done. */
function check(folder, { start }) {
  const names = readdirSync(join(folder, '.transcripts')).filter((name) => name.endsWith('.jsonl'))
  const started = names.filter((name) => name.startsWith('new-')).length
  if (started !== start.length + 1) throw new Error(`${started} sessions of ${start.length + 1}`)
}
