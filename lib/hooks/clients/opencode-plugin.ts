// The plugin of OpenCode: a module that calls our hook command with one JSON object, as other clients call
// it themselves. It runs inside OpenCode, so it never throws, and waits for the command only for a time.

import type { CallOptions } from '../../store/index.js'

const MARK =
  '// Written by jsonl-session hooks install; jsonl-session hooks uninstall --for opencode removes it.'
const COMMAND = /^const COMMAND = (\[.*\])$/m

/** The file for this call. */
export function writePlugin({ form, node, program, args = [] }: CallOptions): string {
  const first = form === 'name' ? ['jsonl-session'] : [node, program]
  const command = JSON.stringify([...first, 'hook', '--for', 'opencode', ...args])
  const imports = "import { spawn, spawnSync } from 'node:child_process'"
  return `${MARK}\n\n${imports}\n\nconst COMMAND = ${command}\n${BODY}`
}

/** The words that a plugin of ours calls; `undefined` for a file of another program. */
export function readPluginCommand(text: string): readonly string[] | undefined {
  if (!text.startsWith(MARK)) return undefined
  try {
    const words: unknown = JSON.parse(COMMAND.exec(text)?.[1] ?? '[]')
    return Array.isArray(words) ? words.map(String) : []
  } catch {
    // Someone edited it; installing again repairs it.
    return []
  }
}

const BODY = `const WAIT_MS = 5000
const LAST_WAIT_MS = 2000

/** By id: the parent of a subagent, how far it has come, and the texts of its newest messages. */
const sessions = new Map()

function stateOf(id) {
  if (!sessions.has(id)) sessions.set(id, { messages: new Map() })
  return sessions.get(id)
}

function rootOf(id) {
  let root = id
  while (sessions.get(root)?.parent) root = sessions.get(root).parent
  return root
}

function toInput(id, name, fields, directory) {
  const root = rootOf(id)
  const agent = root === id ? {} : { agent_id: id, agent_type: 'subagent' }
  return JSON.stringify({ hook_event_name: name, session_id: root, cwd: directory, ...agent, ...fields })
}

/** Never rejects; what the command prints, or nothing. */
function ask(input, directory) {
  return new Promise((resolve) => {
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] })
      let output = ''
      const timer = setTimeout(() => child.kill('SIGKILL'), WAIT_MS)
      const finish = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      child.stdin.on('error', () => {})
      child.on('error', () => finish(''))
      child.on('close', () => finish(output))
      child.stdin.end(input)
    } catch {
      resolve('')
    }
  })
}

/** For events after which the program may end at once. */
function askNow(input, directory) {
  try {
    const options = { cwd: directory, input, timeout: LAST_WAIT_MS, stdio: ['pipe', 'ignore', 'ignore'] }
    spawnSync(COMMAND[0], COMMAND.slice(1), options)
  } catch {
    // The session is not recorded; the program continues.
  }
}

function textOf(message) {
  return [...(message?.texts.values() ?? [])].join('').trim()
}

function contextIn(output) {
  try {
    return JSON.parse(output).hookSpecificOutput?.additionalContext
  } catch {
    return undefined
  }
}

/** Nothing here may fail the program. */
function safely(work) {
  return async (...args) => {
    try {
      await work(...args)
    } catch {
      // As if the plugin were not there.
    }
  }
}

export const JsonlSession = async ({ directory }) => {
  let queue = Promise.resolve('')
  // One after the other: the order of the events is the order of the log.
  const report = (id, name, fields = {}) => {
    queue = queue.then(() => ask(toInput(id, name, fields, directory), directory))
    return queue
  }
  const newest = (id) => [...stateOf(id).messages].filter(([, { isSummary }]) => !isSummary).at(-1) ?? []

  async function start(id) {
    const state = stateOf(id)
    if (state.isStarted || state.parent) return undefined
    state.isStarted = true
    const source = state.isCompacted ? 'compact' : state.isNew ? 'startup' : 'resume'
    return contextIn(await report(id, 'SessionStart', { source }))
  }

  const onEvent = {
    'session.created'({ info }) {
      const state = stateOf(info.id)
      state.isNew = true
      if (!info.parentID) return
      state.parent = info.parentID
      report(info.id, 'SubagentStart')
    },
    'message.updated'({ info }) {
      if (info.role !== 'assistant') return
      const { messages } = stateOf(info.sessionID)
      const isSummary = info.summary === true
      const { texts = new Map() } = messages.get(info.id) ?? {}
      messages.set(info.id, { isSummary, texts })
    },
    'message.part.updated'({ part }) {
      const message = stateOf(part.sessionID).messages.get(part.messageID)
      if (part.type === 'text') message?.texts.set(part.id, part.text)
      const { status, error, input } = part.state ?? {}
      if (part.type !== 'tool' || status !== 'error') return
      const tool = { tool_name: part.tool, tool_use_id: part.callID, tool_input: input }
      report(part.sessionID, 'PostToolUseFailure', { ...tool, error: String(error) })
    },
    'message.part.delta'({ sessionID, messageID, partID, field, delta }) {
      const texts = stateOf(sessionID).messages.get(messageID)?.texts
      if (field === 'text' && texts?.has(partID)) texts.set(partID, texts.get(partID) + delta)
    },
    'session.idle'({ sessionID: id }) {
      const [, message] = newest(id)
      const name = stateOf(id).parent ? 'SubagentStop' : 'Stop'
      const fields = { last_assistant_message: textOf(message) || undefined }
      askNow(toInput(id, name, fields, directory), directory)
      stateOf(id).messages.clear()
    },
    'session.compacted'({ sessionID: id }) {
      const state = stateOf(id)
      const summary = [...state.messages.values()].findLast(({ isSummary }) => isSummary)
      Object.assign(state, { isStarted: false, isCompacted: true })
      const compact_summary = textOf(summary)
      if (compact_summary !== '') report(id, 'PostCompact', { compact_summary, trigger: 'auto' })
    },
    'session.deleted'({ info }) {
      if (sessions.get(info.id)?.isStarted) report(info.id, 'SessionEnd', { reason: 'deleted' })
      sessions.delete(info.id)
    },
  }

  process.once('exit', () => {
    for (const [id, { isStarted }] of sessions) {
      if (isStarted) askNow(toInput(id, 'SessionEnd', { reason: 'exit' }, directory), directory)
    }
  })

  return {
    event: safely(({ event }) => onEvent[event.type]?.(event.properties)),
    'chat.message': safely(async ({ sessionID }, { message, parts }) => {
      const typed = parts.filter((part) => part.type === 'text' && part.synthetic !== true)
      const prompt = typed.map(({ text }) => text).join('\\n')
      const text = await start(sessionID)
      await report(sessionID, 'UserPromptSubmit', { prompt, prompt_id: message.id })
      if (text === undefined) return
      const id = \`\${parts.at(-1)?.id ?? 'prt_'}j\`
      parts.push({ id, sessionID, messageID: message.id, type: 'text', text, synthetic: true })
    }),
    'tool.execute.before': safely(async ({ tool, sessionID, callID }, { args }) => {
      const [id, message] = newest(sessionID)
      const said = textOf(message)
      const before = said === '' ? {} : { preceding_message: said, preceding_message_id: id }
      const call = { tool_name: tool, tool_use_id: callID, tool_input: args }
      await report(sessionID, 'PreToolUse', { ...call, ...before })
    }),
    'tool.execute.after': safely(async ({ tool, sessionID, callID, args }, { output }) => {
      const call = { tool_name: tool, tool_use_id: callID, tool_input: args }
      await report(sessionID, 'PostToolUse', { ...call, tool_response: output })
    }),
    'experimental.session.compacting': safely(async ({ sessionID }) => {
      await report(sessionID, 'PreCompact', { trigger: 'auto' })
    }),
  }
}
`
