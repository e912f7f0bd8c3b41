// Our hooks in the real Claude Code, for `npm run real -- claude-code hooks`. Each scenario ends with three
// questions: does the log that the hooks recorded show what the client itself sends on resume, does the next
// session get what it should, and is anything about permissions on the disk?

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compareMessages } from '../rig/compare.mjs'
import { toMessageList } from '../rig/messages.mjs'
import { PROGRAM, runOurs } from '../rig/ours.mjs'
import { anthropic, isConversation } from '../rig/wire/anthropic.mjs'
import { ClaudeHome, installClaude, PROBE, VERSION } from './driver.mjs'
import { listSent, WORDING } from './oracle.mjs'

const HOOK_SECONDS = 60
const PERMISSIONS = /bypassPermissions|permission_?mode/i

const INJECTED =
  /## (?:Session Recovery Context|Project Memory)\n[\s\S]*?<\/(?:recovered|remembered)-\w+>/g

/** The texts of ours in the messages of a request. The client adds reminders to results, too. */
function injectedInto({ messages }) {
  return textsIn(messages).flatMap((text) => text.match(INJECTED) ?? [])
}

function textsIn(value) {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return [value.content, value.text].flatMap((part) => (part === undefined ? [] : textsIn(part)))
}

/** A home with our hooks, and the store that they write. */
class HookedHome extends ClaudeHome {
  #server

  constructor(context, { copies = 1, ...options } = {}) {
    super(context, options)
    this.#server = context.server
    this.root = join(this.home, '.jsonl-session')
    execFileSync(process.execPath, [PROGRAM, 'hooks', 'install', '--apply'], {
      env: this.env,
      stdio: 'ignore',
    })
    this.#register(copies)
  }

  /**
   * As if they had been installed again by hand, or by a plugin. On a busy machine a hook may take longer than the
   * five seconds that the client waits; that is no result of a scenario.
   */
  #register(copies) {
    const path = join(this.home, '.claude', 'settings.json')
    const settings = JSON.parse(readFileSync(path, 'utf8'))
    for (const [event, [entry]] of Object.entries(settings.hooks)) {
      settings.hooks[event] = Array.from({ length: copies }, (_, copy) => ({
        ...entry,
        // The client runs equal commands once.
        hooks: entry.hooks.map((hook) => ({
          ...hook,
          timeout: HOOK_SECONDS + copy,
          args: [...hook.args, ...(copy === 0 ? [] : ['--runtime-path', 'hooks'])],
        })),
      }))
    }
    writeFileSync(path, JSON.stringify(settings))
  }

  /** A rule that holds in every permission mode. */
  deny(rule) {
    const path = join(this.home, '.claude', 'settings.json')
    const settings = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...settings, permissions: { deny: [rule] } }))
  }

  /** What the model would see of a session, by the hook log. */
  recorded(sessionId) {
    const { messages } = runOurs(['resume', sessionId, '--mode', 'inspect'], this.#ours)
    return toMessageList(messages)
  }

  events(sessionId) {
    const text = readFileSync(join(this.root, '.transcripts', `${sessionId}.jsonl`), 'utf8')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  get history() {
    return readFileSync(join(this.root, 'history.jsonl'), 'utf8')
  }

  get #ours() {
    return { root: this.root, env: { ...process.env, HOME: this.home } }
  }

  /** What the first request of a new session in the project has of ours. */
  async nextSession(prompt = 'a new session') {
    const from = this.#server.requests.length
    await this.ask(prompt, ['--session-id', randomUUID()])
    const sent = this.#server.requests.slice(from).find(({ body }) => isConversation(body))
    if (sent === undefined) throw new Error('the next session sent no request')
    return injectedInto(sent.body)
  }

  /** What all requests so far had of ours, each text once for each place that it has in a conversation. */
  get injections() {
    const requests = this.#server.requests.filter(({ body }) => isConversation(body))
    const most = new Map()
    for (const { body } of requests) {
      const texts = injectedInto(body)
      for (const text of texts) {
        const count = texts.filter((other) => other === text).length
        most.set(text, Math.max(count, most.get(text) ?? 0))
      }
    }
    return [...most].flatMap(([text, count]) => Array(count).fill(text))
  }

  get leaks() {
    const names = readdirSync(this.root, { recursive: true })
    return names.filter((name) => {
      const path = join(this.root, name)
      return name.endsWith('.jsonl') && PERMISSIONS.test(readFileSync(path, 'utf8'))
    })
  }
}

/**
 * `live` does it and returns the session's id. `gives`: words that the first request of the next session has of
 * our recovery; `withholds`: words that it must not have. `injects`: words that the session itself is given, after
 * a compaction; without it, no request of the session may have anything of ours. `check(home, sessionId)` returns
 * what else is wrong.
 */
function scenario(name, live, { gives, withholds = [], injects = [], resumes, check, ...options }) {
  return {
    name,
    needsTerminal: options.needsTerminal,
    async run(context) {
      const home = new HookedHome(context, options)
      const sessionId = await live(home)
      const problems = checkInjected(home.injections, injects, 'the session itself')
      const compareLogs = async () => {
        const theirs = listSent(await home.probe(sessionId), PROBE)
        const ours = withoutReminders(home.recorded(sessionId))
        return compareMessages(theirs, ours, WORDING)
      }
      // What a killed client was about to do, it does not send: the hooks find out when it resumes.
      const compared = resumes === true ? undefined : await compareLogs()
      problems.push(...((await check?.(home, sessionId)) ?? []))
      const given = await home.nextSession()
      problems.push(...checkInjected(given, gives, 'the next session'))
      for (const word of withholds) {
        if (given.join().includes(word)) problems.push(`the next session was given "${word}"`)
      }
      if (resumes === true) await home.ask('on with it', ['--resume', sessionId])
      const { verdict, diff, rules } = compared ?? (await compareLogs())
      problems.push(...home.leaks.map((file) => `permission state in ${file}`))
      if (problems.length > 0) return { verdict: 'wrong', diff, note: problems.join('; ') }
      return { verdict, diff, note: rules.length === 0 ? undefined : rules.join(', ') }
    },
  }
}

/** Each text is injected once, and has all of these words; without words nothing is injected. */
function checkInjected(texts, words, who) {
  if (words.length === 0) return texts.map((text) => `${who} was given ${JSON.stringify(text)}`)
  const missing = words.filter((word) => !texts.some((text) => text.includes(word)))
  const repeated = texts.filter((text, index) => texts.indexOf(text) !== index)
  return [
    ...missing.map((word) => `${who} was not given "${word}", but ${JSON.stringify(texts)}`),
    ...repeated.map((text) => `${who} was given twice: ${JSON.stringify(text)}`),
  ]
}

/** The client adds reminders to results, too, and the oracle leaves them out. */
function withoutReminders(list) {
  const text = (value) =>
    value.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim()
  return list
    .map((entry) => (entry.text === undefined ? entry : { ...entry, text: text(entry.text) }))
    .filter(({ kind, text }) => kind !== 'text' || text !== '')
}

/** Prompts one after the other in print mode, each a process of its own. */
function asks(...prompts) {
  return async (home) => {
    const sessionId = randomUUID()
    for (const [index, prompt] of prompts.entries()) {
      await home.ask(prompt, [index === 0 ? '--session-id' : '--resume', sessionId])
    }
    return sessionId
  }
}

function killedIn(prompt, isMoment, { before = [], after = [] } = {}) {
  return async (home) => {
    const sessionId = before.length === 0 ? randomUUID() : await asks(...before)(home)
    const args = [before.length === 0 ? '--session-id' : '--resume', sessionId]
    const { child, ended } = home.start([...args, '-p', prompt])
    await isMoment(home, sessionId)
    child.kill('SIGKILL')
    await ended
    for (const next of after) await home.ask(next, ['--resume', sessionId])
    return sessionId
  }
}

const hasBlock = (type) => (line) =>
  Array.isArray(line.message?.content) && line.message.content.some((block) => block.type === type)
const isReply = (word) => (line) =>
  line.type === 'assistant' && JSON.stringify(line.message.content).includes(word)
const toolRuns = async (home, id) => {
  await home.waitForLine(id, hasBlock('tool_use'))
  await sleep(1500)
}
const compacts = async (home) => {
  await home.waitForRequest(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('SLOWCOMPACT'),
  )
  await sleep(1000)
}

/** The client with its screen; `act` types, and may return the id of the session to look at. */
function types(act) {
  return async (home) => {
    const sessionId = randomUUID()
    const terminal = await home.open(['--session-id', sessionId])
    try {
      const other = await act({ terminal, home, sessionId, waitForReply })
      await terminal.say('/exit')
      await sleep(2500)
      return other ?? sessionId
    } finally {
      terminal.close()
    }

    async function waitForReply(prompt, id = sessionId) {
      await terminal.say(prompt)
      await home.waitForLine(id, isReply(prompt.slice(-20)))
      await sleep(1000)
    }
  }
}

function streamsJson(act) {
  return async (home) => {
    const sessionId = randomUUID()
    const stream = home.openStream(sessionId)
    await act(stream, home)
    await stream.close()
    return sessionId
  }
}

const screen = { needsTerminal: true }
/** What the client writes in the name of the user; nobody typed it. */
const CLIENT_WORDS = ['local-command', 'command-name', 'bash-std']

function countInHistory(home, prompt, wanted) {
  const found = home.history.split('\n').filter((line) => line.includes(prompt)).length
  return found === wanted ? [] : [`the history has "${prompt}" ${found} times, not ${wanted}`]
}

const SUBAGENT = { description: 'a part of it', subagent_type: 'general-purpose' }
const agent = (prompt, more = {}) =>
  `CALL Agent ${JSON.stringify({ ...SUBAGENT, prompt, ...more })}`

const agents = (count, prompt) => agent(prompt).replace('CALL', `CALLS ${count}`)

/** That the log has an event of each of these types. */
const hasTypes =
  (...wanted) =>
  (home, id) => {
    const types = home.events(id).map(({ type }) => type)
    return wanted.filter((type) => !types.includes(type)).map((type) => `no ${type}`)
  }

const noSubagents = (home, id) =>
  existsSync(join(home.root, '.sidechains')) &&
  readdirSync(join(home.root, '.sidechains')).length > 0
    ? ['a subagent that was none']
    : home.events(id).some(({ type }) => type.startsWith('subagent_'))
      ? ['an event of a subagent that was none']
      : []

/** That the logs of subagents have these words, each once in each log, as messages. */
function hasInSubagents(home, words) {
  const folder = join(home.root, '.sidechains')
  const logs = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.jsonl'))
  if (logs.length === 0) return ['no log of a subagent']
  return logs.flatMap((name) => {
    const rows = readFileSync(join(folder, name), 'utf8').split('\n')
    return words.flatMap((word) => {
      const count = rows.filter((row) => row.includes('"content"') && row.includes(word)).length
      return count > 0 ? [] : [`no "${word}" in ${name}`]
    })
  })
}

const countTexts = (text, wanted) => (home, id) => {
  const found = home.recorded(id).filter((entry) => entry.kind === 'text' && entry.text === text)
  return found.length === wanted ? [] : [`${found.length} times "${text}", not ${wanted}`]
}

export const scenarios = [
  scenario('plain', asks('one', 'two', 'three'), { gives: ['Total Prompts: 3', '- three'] }),
  scenario('tools', asks('SAY TOOL echo one', 'CHAIN 3', 'TOOL exit 3'), {
    gives: ['Total Prompts: 3', '- TOOL exit 3'],
  }),
  scenario('parallel-tools', asks('SAY TOOLS 4', 'THINK SAY TOOLS 2', 'after them'), {
    gives: ['Total Prompts: 3', '- after them'],
  }),
  scenario('killed-in-turn-1', killedIn('SAY TOOL echo was-here; sleep 60', toolRuns), {
    gives: ['- SAY TOOL echo was-here', '- Bash echo was-here; sleep 60 (no result)'],
    resumes: true,
  }),
  scenario(
    'killed-in-turn-2',
    killedIn('now SAY TOOL echo second; sleep 60', toolRuns, { before: ['first task, CHAIN 2'] }),
    {
      gives: ['- Bash echo second; sleep 60 (no result)', '- first task, CHAIN 2'],
      resumes: true,
    },
  ),
  scenario(
    'killed-and-resumed',
    killedIn('SAY TOOL sleep 60', toolRuns, { before: ['CHAIN 2'], after: ['on with it'] }),
    { gives: ['Total Prompts: 3', '- SAY TOOL sleep 60', '- on with it'] },
  ),
  scenario(
    'killed-in-a-compaction',
    killedIn('/compact SLOWCOMPACT 20', compacts, { before: ['one', 'TOOL echo two'] }),
    { gives: ['User - TOOL echo two', 'Assistant - REPLY-2'], resumes: true },
  ),
  scenario(
    'continued',
    async (home) => {
      const sessionId = await asks('one')(home)
      await home.ask('two', ['--continue'])
      return sessionId
    },
    { gives: ['Total Prompts: 2', '- two'] },
  ),
  scenario(
    'forked',
    async (home) => {
      const first = await asks('one', 'TOOL echo two')(home)
      home.source = first
      const forked = randomUUID()
      await home.ask('SAY TOOL echo three', [
        ...['--resume', first, '--fork-session', '--session-id', forked],
      ])
      return forked
    },
    {
      gives: ['Total Prompts: 3', '- one\n- TOOL echo two\n- SAY TOOL echo three'],
      check(home, id) {
        const header = home.events(id)[0].payload
        const source = home.events(home.source).at(-1)
        return [
          ...(header.previous_session_key === home.source ? [] : ['no link to its source']),
          ...(source.type === 'session_terminator' ? [] : ['the source did not end']),
        ]
      },
    },
  ),
  scenario('compaction', asks('one', 'TOOL echo two', '/compact', 'after it', 'TOOL echo more'), {
    injects: ['User - TOOL echo two', 'Assistant - REPLY-2'],
    gives: ['- TOOL echo more'],
    withholds: CLIENT_WORDS,
    check: noSubagents,
  }),
  scenario(
    'compaction-with-instructions',
    asks('one', 'THINK SAY TOOL echo two', '/compact keep the numbers'),
    {
      gives: ['Instructions for the summary: keep the numbers', 'User - THINK SAY TOOL echo two'],
      withholds: CLIENT_WORDS,
      check: noSubagents,
    },
  ),
  scenario('two-compactions', asks('one', '/compact', 'two', 'TOOL echo x', '/compact', 'three'), {
    injects: ['User - one', 'User - TOOL echo x'],
    gives: ['- three'],
    withholds: CLIENT_WORDS,
  }),
  scenario('automatic-compaction', asks('one', 'TOKENS 195000 CHAIN 4', 'after'), {
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' },
    injects: ['User - TOKENS 195000 CHAIN 4'],
    gives: ['Total Prompts: 3', '- after'],
    check: hasTypes('compaction_boundary'),
  }),
  scenario(
    'rewind',
    streamsJson(async (stream) => {
      await stream.say('one')
      const target_message_uuid = await stream.say('TOOL echo two')
      await stream.control({ subtype: 'rewind_conversation', target_message_uuid })
    }),
    { gives: ['- one'], withholds: ['echo two'] },
  ),
  scenario(
    'rewind-then-another',
    streamsJson(async (stream) => {
      await stream.say('one')
      const target_message_uuid = await stream.say('SAY TOOL echo two')
      await stream.control({ subtype: 'rewind_conversation', target_message_uuid })
      await stream.say('another')
    }),
    { gives: ['- one\n- another'], withholds: ['echo two'] },
  ),
  scenario(
    'rewind-on-the-screen',
    types(async ({ terminal, waitForReply }) => {
      await waitForReply('the first prompt of all')
      await waitForReply('the second prompt of all')
      await terminal.press('Escape', 'Escape')
      await terminal.waitFor(/Rewind/)
      await terminal.press('Up', 'Enter', 'Enter')
      await sleep(1500)
      await terminal.press('C-u')
      await waitForReply('what replaces the second')
    }),
    {
      ...screen,
      gives: ['- the first prompt of all\n- what replaces the second'],
      withholds: ['- the second prompt of all', ...CLIENT_WORDS],
    },
  ),
  scenario('subagent', asks(agent('SAY TOOL echo inside'), 'after it'), {
    gives: ['Total Prompts: 2', '- after it'],
    check: (home, id) => [
      ...hasTypes('subagent_spawn', 'subagent_result')(home, id),
      ...hasInSubagents(home, ['SAY TOOL echo inside', 'Saying before call', 'inside', 'REPLY']),
    ],
  }),
  scenario('parallel-subagents', asks(agents(2, 'SAY TOOL echo inside'), 'after them'), {
    gives: ['Total Prompts: 2', '- after them'],
    check: hasTypes('subagent_spawn', 'subagent_result'),
  }),
  scenario('background-subagent', asks(agent('go', { run_in_background: true }), 'after it'), {
    gives: ['Total Prompts: 2', '- after it'],
    withholds: ['task-notification'],
    check(home) {
      const inHistory = home.history.includes('task-notification')
      return inHistory ? ['a task notification is in the history of prompts'] : []
    },
  }),
  scenario(
    'queued-prompt',
    types(async ({ terminal, home, sessionId }) => {
      await terminal.say('SAY TOOL sleep 4')
      await home.waitForLine(sessionId, hasBlock('tool_use'))
      await terminal.say('typed while it worked')
      await home.waitForLine(sessionId, isReply('REPLY-1'))
      await sleep(1500)
    }),
    {
      ...screen,
      gives: ['- SAY TOOL sleep 4\n- typed while it worked'],
      withholds: CLIENT_WORDS,
      check: (home) => countInHistory(home, 'typed while it worked', 1),
    },
  ),
  scenario(
    'shell-command',
    types(async ({ terminal, home, sessionId, waitForReply }) => {
      await waitForReply('the first prompt of all')
      await terminal.say('!echo from-the-shell')
      await home.waitForLine(sessionId, (line) => JSON.stringify(line).includes('bash-stdout'))
      await sleep(2500)
      await waitForReply('what comes after that')
    }),
    {
      ...screen,
      gives: ['- the first prompt of all\n- what comes after that'],
      withholds: CLIENT_WORDS,
    },
  ),
  scenario(
    'same-reply-again',
    types(async ({ terminal, home, sessionId }) => {
      await terminal.say('ALWAYS Done.')
      await home.waitForLine(sessionId, isReply('Done.'))
      await sleep(1000)
      for (const _ of [1, 2]) {
        await terminal.say('!echo ALWAYS Done.')
        await sleep(3000)
      }
    }),
    {
      ...screen,
      gives: ['- ALWAYS Done.'],
      withholds: CLIENT_WORDS,
      check: countTexts('Done.', 3),
    },
  ),
  scenario(
    'denied-tool',
    async (home) => {
      home.deny('Bash(touch *)')
      return asks('SAY TOOL touch denied-file', 'after it')(home)
    },
    { gives: ['Total Prompts: 2', '- after it'] },
  ),
  scenario('unknown-tool', asks('CALL NoSuchTool {"a":1}', 'after it'), {
    gives: ['Total Prompts: 2', '- after it'],
  }),
  scenario(
    'aborted',
    types(async ({ terminal, home, sessionId, waitForReply }) => {
      await terminal.say('SAY TOOL sleep 60')
      await home.waitForLine(sessionId, hasBlock('tool_use'))
      await sleep(1500)
      await terminal.press('Escape')
      await home.waitForLine(sessionId, (line) =>
        JSON.stringify(line).includes('interrupted by user'),
      )
      await waitForReply('what comes after that')
    }),
    {
      ...screen,
      gives: ['- SAY TOOL sleep 60\n- what comes after that'],
      withholds: ['interrupted by user', ...CLIENT_WORDS],
    },
  ),
  scenario('api-error', asks('one', 'FAIL 400', 'after it'), {
    gives: ['Total Prompts: 3', '- after it'],
    check(home, id) {
      const errors = home
        .events(id)
        .flatMap(({ type, payload }) =>
          type === 'turn_end' && payload.error !== undefined ? [payload.error] : [],
        )
      return errors.some((error) => error.includes('400')) ? [] : [`errors: ${errors}`]
    },
  }),
  scenario(
    'clear',
    types(async ({ terminal, home, sessionId, waitForReply }) => {
      await waitForReply('the first prompt of all')
      await terminal.say('/clear')
      await sleep(2000)
      await terminal.say('a prompt after the clear')
      await home.waitForRequest(({ messages }) =>
        JSON.stringify(messages).includes('after the clear'),
      )
      await sleep(2500)
      return home.newestSession([sessionId])
    }),
    {
      ...screen,
      gives: ['- a prompt after the clear'],
      withholds: ['the first prompt of all', ...CLIENT_WORDS],
    },
  ),
  scenario(
    'branch',
    types(async ({ terminal, home, sessionId, waitForReply }) => {
      await waitForReply('the first prompt of all')
      await terminal.say('/branch')
      await sleep(3000)
      await terminal.say('a prompt on the branch')
      await home.waitForRequest(({ messages }) =>
        JSON.stringify(messages).includes('on the branch'),
      )
      await sleep(2500)
      return home.newestSession([sessionId])
    }),
    {
      ...screen,
      gives: ['- the first prompt of all\n- a prompt on the branch'],
      withholds: CLIENT_WORDS,
    },
  ),
  scenario('registered-three-times', asks('one', 'SAY TOOLS 2', 'three'), {
    copies: 3,
    gives: ['Total Prompts: 3', '- three'],
    check(home, id) {
      const prompts = home.events(id).filter(({ type }) => type === 'user').length
      return prompts === 3 ? [] : [`${prompts} prompts instead of 3`]
    },
  }),
]

export default {
  name: 'claude-code-hooks',
  version: VERSION,
  protocols: [anthropic],
  wording: WORDING,
  install: installClaude,
  scenarios,
}
