// Sessions of a harness that calls hooks: their events, and the transcript that the client writes
// itself while it calls them.

import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSessions } from './library.mjs'

export const PROJECT = '/home/ada/shop'
const SESSIONS = 10_000
/** Made by the library; the others are copies of these. */
const ORIGINALS = 100
// How many of them left a checkpoint, as longer sessions do.
const CHECKPOINTED_EVERY = 20
const A_MONTH_AGO = Date.now() / 1000 - 30 * 24 * 60 * 60
/** What the client wrote before the first hook, about a megabyte. */
const EARLIER_TURNS = 300
const EARLIER_TEXT = 'The parser reads the file line by line and keeps what it has seen. '.repeat(
  40,
)

/** The store, and a folder where the client keeps as many transcripts, most of them old. Returns that. */
export async function makeHookStore(folder) {
  const { createSession } = await loadSessions()
  const options = { root: folder, home: folder, project: PROJECT, durability: 'none' }
  for (let number = 0; number < ORIGINALS; number++) {
    const continuity = number % CHECKPOINTED_EVERY === 0 ? {} : false
    const session = await createSession({ ...options, id: `old-${number}`, continuity })
    await session.prompt(`prompt ${number}`)
    await session.close()
  }
  const transcripts = join(folder, '.transcripts')
  const clients = join(folder, 'client')
  mkdirSync(clients)
  for (let number = 0; number < SESSIONS; number++) {
    const ofClient = join(clients, `old-${number}.jsonl`)
    writeFileSync(ofClient, `{"type":"summary","summary":"session ${number}"}\n`)
    utimesSync(ofClient, A_MONTH_AGO, A_MONTH_AGO)
    if (number < ORIGINALS) continue
    const original = `old-${number % ORIGINALS}`
    const text = readFileSync(join(transcripts, `${original}.jsonl`), 'utf8')
    // Without the checksums of lines that are changed here.
    const copy = text
      .replaceAll(`"${original}"`, `"old-${number}"`)
      .replaceAll(/,"crc":"[^"]*"/g, '')
    writeFileSync(join(transcripts, `old-${number}.jsonl`), copy)
  }
  writeFileSync(join(folder, 'bare'), '')
  return clients
}

const sayText = (text) => ({ type: 'text', text })

export class HarnessSession {
  #id
  #call
  #client

  /** `call(name, event)` runs a hook. Without `clients` the client has no transcript. */
  constructor(id, call, clients) {
    this.#id = id
    this.#call = call
    if (clients !== undefined) this.#client = new ClientTranscript(join(clients, `${id}.jsonl`), id)
  }

  /** What `runTurn` makes the hooks record. */
  static textsOf(number) {
    return [`prompt ${number}`, `/review ${number}`, `end ${number}.`, `call-${number}-b`]
  }

  start() {
    this.#hook('SessionStart', { source: 'startup' })
  }

  /** A turn with two tool calls and a subagent, a prompt that is expanded, and a failed reply. */
  runTurn(number) {
    const client = this.#client
    client?.beginWithEarlierTurns()
    const prompt = `prompt ${number}`
    this.#hook('UserPromptSubmit', { prompt, prompt_id: `p-${number}` })
    const calls = ['a', 'b'].map((name) => `call-${number}-${name}`)
    const tools = calls.map((id) => toolOf(id))
    client?.write('user', prompt)
    client?.write('assistant', [sayText(`text ${number}`), ...calls.map(useOf)])
    for (const tool of tools) this.#hook('PreToolUse', tool)
    this.#hook('PostToolUse', { ...tools[0], tool_response: { stdout: 'ok' } })
    this.#hook('PostToolUseFailure', { ...tools[1], error: 'Exit code 1' })
    client?.write('user', [resultOf(calls[0], 'ok')])
    client?.write('user', [resultOf(calls[1], 'Exit code 1')])
    const tool_calls = [
      { ...tools[0], tool_response: 'ok' },
      { ...tools[1], tool_response: 'Exit code 1' },
    ]
    this.#hook('PostToolBatch', { tool_calls })
    const agent = { agent_id: `agent-${number}`, agent_type: 'general-purpose' }
    this.#hook('SubagentStart', agent)
    this.#hook('SubagentStop', { ...agent, last_assistant_message: 'found it' })
    const end = `end ${number}.`
    client?.write('assistant', [sayText(end)])
    this.#hook('Stop', { prompt_id: `p-${number}`, last_assistant_message: end })
    const expanded = `/review ${number}`
    this.#hook('UserPromptExpansion', { prompt: expanded, prompt_id: `e-${number}` })
    client?.write('user', expanded)
    this.#hook('StopFailure', { prompt_id: `e-${number}`, error: 'rate_limit' })
  }

  /** What remains after the start. */
  runShortly() {
    this.#client?.write('user', 'hello')
    this.#client?.write('assistant', [sayText('hello to you')])
    this.#hook('PreCompact', { trigger: 'auto' })
    this.#hook('PostCompact', { trigger: 'auto', compact_summary: '<summary>hello</summary>' })
    this.#hook('SessionEnd', { reason: 'other' })
  }

  #hook(name, fields) {
    const transcript_path = this.#client?.path
    this.#call(name, { session_id: this.#id, transcript_path, cwd: PROJECT, ...fields })
  }
}

function toolOf(id) {
  return { tool_name: 'Bash', tool_use_id: id, tool_input: { command: 'true' } }
}

function useOf(id) {
  return { type: 'tool_use', id, name: 'Bash', input: { command: 'true' } }
}

function resultOf(tool_use_id, content) {
  return { type: 'tool_result', tool_use_id, content }
}

/** The transcript of Claude Code, as far as the hooks read it. */
class ClientTranscript {
  #session
  #last = null
  #lines = 0

  constructor(path, session) {
    this.path = path
    this.#session = session
  }

  beginWithEarlierTurns() {
    if (this.#lines > 0) return
    for (let turn = 0; turn < EARLIER_TURNS; turn++) {
      this.write('user', `earlier prompt ${turn}`)
      this.write('assistant', [sayText(`${turn} ${EARLIER_TEXT}`)])
    }
  }

  write(type, content) {
    const uuid = `line-${++this.#lines}`
    const message = { role: type, id: `message-${uuid}`, content }
    const timestamp = new Date().toISOString()
    const line = {
      type,
      uuid,
      parentUuid: this.#last,
      sessionId: this.#session,
      timestamp,
      message,
    }
    appendFileSync(this.path, `${JSON.stringify(line)}\n`)
    this.#last = uuid
  }
}
