// What a person does with Claude Code, and what happens to its transcripts. Each scenario ends with the client's
// own answer: what it sends when it resumes the session.

import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClaudeHome, PROBE } from './driver.mjs'
import { listSent } from './oracle.mjs'
import { scrubTranscript } from './scrub.mjs'

/** A PNG of one pixel. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SUBAGENT = { description: 'a part of it', subagent_type: 'general-purpose' }

const spawns = (prompt, more = {}) =>
  `CALL Agent ${JSON.stringify({ ...SUBAGENT, prompt, ...more })}`

/** `live` does it and returns the session's id; `edit` changes its transcript then. */
function scenario(name, live, { edit, ...options } = {}) {
  return {
    name,
    needsTerminal: options.needsTerminal,
    async run(context) {
      const home = new ClaudeHome(context, options)
      const sessionId = await live(home)
      const session = home.transcriptOf(sessionId)
      const files = home.transcripts.filter((path) => path.includes(sessionId))
      for (const path of files) {
        if (path.endsWith('.jsonl')) rewrite(path, scrubTranscript)
      }
      if (edit !== undefined) rewrite(session, (text) => editLines(text, edit))
      const theirs = listSent(await home.probe(sessionId), PROBE, textsIn(session))
      return { home: home.home, files, session, sessionId, theirs }
    },
  }
}

/** Texts of messages that a transcript holds. */
function textsIn(path) {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return lines.flatMap((line) => {
    const { uuid, message } = JSON.parse(line)
    const isText = uuid !== undefined && typeof message?.content === 'string'
    return isText ? [message.content.trim()] : []
  })
}

function rewrite(path, change) {
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

function editLines(text, edit) {
  const lines = text.split('\n').filter((line) => line !== '')
  const changed = edit(lines.map((line) => JSON.parse(line)))
  return changed.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Prompts one after the other in print mode, each a process of its own. */
function asks(...prompts) {
  return async (home) => {
    const sessionId = randomUUID()
    for (const [index, prompt] of prompts.entries()) {
      const args = index === 0 ? ['--session-id', sessionId] : ['--resume', sessionId]
      await home.ask(prompt, args)
    }
    return sessionId
  }
}

/** Kills the client with SIGKILL when its transcript or its requests show that the moment has come. */
function killedIn(prompt, isMoment, { before = [], after = [] } = {}) {
  return async (home) => {
    const sessionId = before.length === 0 ? randomUUID() : await asks(...before)(home)
    const args = before.length === 0 ? ['--session-id', sessionId] : ['--resume', sessionId]
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
const isSleeping = (line) =>
  hasBlock('tool_use')(line) && JSON.stringify(line).includes('timeout 60')
const toolRuns = (home, id) => home.waitForLine(id, isSleeping)
const streams = (word) => async (home) => {
  await home.waitForRequest(({ messages }) => JSON.stringify(messages.at(-1)).includes(word))
  await sleep(1000)
}
const isReply = (word) => (line) =>
  line.type === 'assistant' && JSON.stringify(line.message.content).includes(word)

/** The client with its screen; `act` types. */
function types(act) {
  return async (home) => {
    const sessionId = randomUUID()
    const terminal = await home.open(['--session-id', sessionId])
    try {
      await act({ terminal, home, sessionId, waitForReply })
    } finally {
      terminal.close()
    }
    return sessionId

    async function waitForReply(prompt) {
      await terminal.say(prompt)
      const end = prompt.slice(-20)
      await home.waitForLine(sessionId, isReply(end))
    }
  }
}

/** Through the stream of the SDK. */
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
const atBoundary = ({ subtype }) => subtype === 'compact_boundary'
const full = { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' } }
const lastPrompt = (leafUuid, more) => ({ type: 'last-prompt', leafUuid, ...more })

/** Without it; what followed it follows what it followed. */
function withoutLine(lines, removed) {
  return lines
    .filter((line) => line !== removed)
    .map((line) =>
      line.parentUuid === removed.uuid ? { ...line, parentUuid: removed.parentUuid } : line,
    )
}

export const scenarios = [
  scenario('plain', asks('one', 'two', 'three')),
  scenario('tools', asks('SAY TOOL echo one', 'CHAIN 3', 'TOOL exit 3')),
  scenario('parallel-tools', asks('SAY TOOLS 3', 'TOOLS 2', 'after them')),
  scenario('thinking', asks('THINK SAY TOOL echo one', 'THINK only', 'after it')),
  scenario('unknown-tool', asks('CALL NoSuchTool {"a":1}', 'after it')),
  scenario('image-read', async (home) => {
    const path = join(home.project, 'dot.png')
    writeFileSync(path, Buffer.from(DOT, 'base64'))
    return asks(`CALL Read {"file_path":"${path}"}`, 'after it')(home)
  }),
  scenario(
    'image-in-prompt',
    streamsJson(async (stream) => {
      const source = { type: 'base64', media_type: 'image/png', data: DOT }
      await stream.say([
        { type: 'text', text: 'look' },
        { type: 'image', source },
      ])
      await stream.say('after it')
    }),
  ),
  scenario('file-mention', async (home) => {
    writeFileSync(join(home.project, 'note.txt'), 'a note\n')
    return asks('read @note.txt', 'after it')(home)
  }),
  scenario('long-output', asks('TOOL seq 1 40000', 'after it')),
  scenario('long-reply', asks('BIG 4', 'after it')),
  scenario('compaction', asks('one', 'TOOL echo two', '/compact', 'after it', 'TOOL echo more')),
  scenario('compaction-last', asks('one', 'two', '/compact')),
  scenario(
    'two-compactions',
    asks('one', 'two', '/compact', 'three', 'TOOL echo x', '/compact', 'four'),
  ),
  scenario(
    'automatic-compaction',
    asks('one', 'TOKENS 195000 TOOL echo filler', 'after it', 'and again'),
    full,
  ),
  scenario('automatic-compaction-in-a-chain', asks('one', 'TOKENS 195000 CHAIN 4', 'after'), full),
  scenario('fork', async (home) => {
    const first = await asks('one', 'TOOL echo two')(home)
    const forked = randomUUID()
    await home.ask('three', ['--resume', first, '--fork-session', '--session-id', forked])
    return forked
  }),
  scenario('fork-after-compaction', async (home) => {
    const first = await asks('one', 'two', '/compact', 'three')(home)
    const forked = randomUUID()
    await home.ask('four', ['--resume', first, '--fork-session', '--session-id', forked])
    return forked
  }),
  scenario('subagent', asks(spawns('TOOL echo inside'), 'after it')),
  scenario('subagent-in-background', asks(spawns('go', { run_in_background: true }), 'after it')),
  scenario('api-error', asks('one', 'FAIL 400', 'after it')),
  scenario('api-error-last', asks('one', 'FAIL 400')),
  scenario('killed-in-a-tool', killedIn('SAY TOOL timeout 60 tail -f /dev/null', toolRuns)),
  scenario(
    'killed-in-a-tool-resumed',
    killedIn('SAY TOOL timeout 60 tail -f /dev/null', toolRuns, { after: ['on'] }),
  ),
  scenario(
    'killed-in-a-chain',
    killedIn('TOOL timeout 60 tail -f /dev/null', toolRuns, { before: ['CHAIN 2'] }),
  ),
  scenario('killed-in-a-stream', killedIn('SAY HANG', streams('HANG'), { before: ['one'] })),
  scenario(
    'killed-in-a-stream-resumed',
    killedIn('SAY HANG', streams('HANG'), { before: ['one'], after: ['on'] }),
  ),
  scenario('killed-after-thinking', killedIn('THINK HANG', streams('HANG'), { before: ['one'] })),
  scenario(
    'killed-in-a-compaction',
    killedIn('/compact SLOWCOMPACT 20', streams('SLOWCOMPACT'), { before: ['one', 'two'] }),
  ),
  scenario(
    'killed-in-a-compaction-resumed',
    killedIn('/compact SLOWCOMPACT 20', streams('SLOWCOMPACT'), {
      before: ['one', 'two'],
      after: ['/compact', 'on'],
    }),
  ),
  scenario(
    'rewind',
    streamsJson(async (stream) => {
      await stream.say('one')
      const target_message_uuid = await stream.say('TOOL echo two')
      await stream.control({ subtype: 'rewind_conversation', target_message_uuid })
    }),
  ),
  scenario(
    'rewind-then-another',
    streamsJson(async (stream) => {
      await stream.say('one')
      const target_message_uuid = await stream.say('TOOL echo two')
      await stream.control({ subtype: 'rewind_conversation', target_message_uuid })
      await stream.say('another')
    }),
  ),
  scenario(
    'rewind-to-nothing',
    streamsJson(async (stream) => {
      const target_message_uuid = await stream.say('one')
      await stream.control({ subtype: 'rewind_conversation', target_message_uuid })
      await stream.say('another')
    }),
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
    screen,
  ),
  scenario(
    'queued-prompt',
    types(async ({ terminal, home, sessionId }) => {
      await terminal.say('SAY TOOL sleep 4')
      await home.waitForLine(sessionId, hasBlock('tool_use'))
      await terminal.say('typed while it worked')
      await home.waitForLine(sessionId, isReply('REPLY-1'))
      await sleep(1500)
    }),
    screen,
  ),
  scenario(
    'aborted-in-a-tool',
    types(async ({ terminal, home, sessionId }) => {
      await terminal.say('SAY TOOL timeout 60 tail -f /dev/null')
      await home.waitForLine(sessionId, hasBlock('tool_use'))
      await sleep(500)
      await terminal.press('Escape')
      await home.waitForLine(sessionId, (line) =>
        JSON.stringify(line).includes('interrupted by user'),
      )
      await sleep(500)
    }),
    screen,
  ),
  scenario(
    'aborted-in-a-stream',
    types(async ({ terminal, home, sessionId, waitForReply }) => {
      await waitForReply('the first prompt of all')
      await terminal.say('HANG here')
      await home.waitForRequest(({ messages }) => JSON.stringify(messages.at(-1)).includes('HANG'))
      await sleep(1500)
      await terminal.press('Escape')
      await home.waitForLine(sessionId, (line) =>
        JSON.stringify(line).includes('interrupted by user'),
      )
      await waitForReply('what comes after that')
    }),
    screen,
  ),
  scenario(
    'local-command',
    types(async ({ terminal, waitForReply }) => {
      await waitForReply('the first prompt of all')
      await terminal.say('/cost')
      await sleep(2000)
      await terminal.press('Escape')
      await terminal.say('!echo from-the-shell')
      await sleep(2500)
      await waitForReply('what comes after that')
    }),
    screen,
  ),
  scenario(
    'renamed',
    types(async ({ terminal, home, sessionId, waitForReply }) => {
      await waitForReply('the first prompt of all')
      await terminal.say('/rename A name of mine')
      await home.waitForLine(sessionId, ({ type }) => type === 'custom-title')
      await waitForReply('what comes after that')
    }),
    screen,
  ),
  // Transcripts that were damaged or written in another order; the client reads them, so it is the oracle.
  scenario('child-before-parent', asks('one', 'TOOL echo two', 'three'), {
    edit: (lines) => [...lines].reverse(),
  }),
  scenario('first-turn-in-disorder', asks('TOOL echo one', 'two'), {
    edit: (lines) => {
      const at = lines.findIndex(({ type }) => type === 'assistant')
      return [lines[at], ...lines.slice(0, at), ...lines.slice(at + 1)]
    },
  }),
  scenario('record-missing', asks('one', 'two', 'three'), {
    edit: (lines) => lines.filter(({ message }) => message?.content !== 'two'),
  }),
  scenario('record-missing-after-compaction', asks('one', 'two', '/compact', 'x', 'three', 'y'), {
    edit: (lines) => lines.filter(({ message }) => message?.content !== 'three'),
  }),
  scenario('disorder-after-compaction', asks('one', 'two', '/compact', 'three'), {
    edit: (lines) => {
      const at = lines.findIndex(atBoundary) + 1
      return [...lines.slice(0, at), ...lines.slice(at).reverse()]
    },
  }),
  scenario('repeated-uuid', asks('one', 'two'), {
    edit: (lines) => {
      const first = lines.find(({ type }) => type === 'user')
      return [...lines, { ...first, message: { ...first.message, content: 'one, changed' } }]
    },
  }),
  scenario('leaf-of-an-older-line', asks('one', 'two', 'three'), {
    edit: (lines) => {
      const { uuid } = lines.find(isReply('[one]'))
      return [...lines, lastPrompt(uuid, { sessionId: lines[0].sessionId })]
    },
  }),
  scenario('no-leaf', asks('one', 'two'), {
    edit: (lines) => [
      ...lines,
      lastPrompt(null, { explicit: true, sessionId: lines[0].sessionId }),
    ],
  }),
  scenario('meta-line-last', asks('one', 'two'), {
    edit: (lines) => {
      const last = lines.findLast(isReply('[two]'))
      const first = lines.find(({ type }) => type === 'user')
      const message = { role: 'user', content: 'A line of the client.' }
      const ids = { uuid: randomUUID(), parentUuid: last.uuid, timestamp: last.timestamp }
      return [...lines, { ...first, ...ids, message, isMeta: true }]
    },
  }),
  scenario('lone-thinking', asks('one', 'THINK two'), {
    edit: (lines) => lines.filter((line) => !isReply('REPLY-2')(line)),
  }),
  scenario('lone-thinking-resumed', asks('one', 'THINK two', 'three'), {
    edit: (lines) => withoutLine(lines, lines.find(isReply('REPLY-2'))),
  }),
  scenario('one-of-three-calls-open', asks('SAY TOOLS 3', 'after them'), {
    edit: (lines) => withoutLine(lines, lines.filter(hasBlock('tool_result'))[1]),
  }),
  scenario('explicit-leaf', asks('one', 'two', 'three'), {
    edit: (lines) => {
      const { uuid, sessionId } = lines.find(isReply('[one]'))
      return [...lines, lastPrompt(uuid, { explicit: true, sessionId })]
    },
  }),
]
