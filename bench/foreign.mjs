// A transcript of Claude Code to import, and the ways to go through it, each in a process that has
// done nothing else.

import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf, textOf } from './events.mjs'
import { loadSessions } from './library.mjs'
import { peakBytes } from './read-tasks.mjs'

const SOURCE_CHARS = 1024 * 1024
const COMPACTION_BYTES = 4_000_000
const SESSION = '0b0e7a52-7d8c-4f7e-9a51-5d3c8f1f6f0a'

/** Prompts, replies of several blocks, parallel tools and their results, and compactions. */
export function makeForeign({ folder, bytes }) {
  const path = join(folder, `${SESSION}.jsonl`)
  const random = randomOf(7)
  const source = textOf(SOURCE_CHARS, random)
  const text = (most) => {
    const length = 40 + Math.floor(random() * most)
    const start = Math.floor(random() * (SOURCE_CHARS - length))
    return source.slice(start, start + length)
  }
  const writer = new ForeignWriter(text)
  writeFileSync(path, '')
  let size = 0
  let compactedAt = 0
  while (size < bytes) {
    const isDue = size - compactedAt > COMPACTION_BYTES
    const lines = isDue ? writer.compaction() : writer.turn()
    if (isDue) compactedAt = size
    const piece = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    appendFileSync(path, piece)
    size += piece.length
  }
  return path
}

class ForeignWriter {
  #text
  #count = 0
  #tip = null

  constructor(text) {
    this.#text = text
  }

  turn() {
    const lines = [this.#line('user', { message: { role: 'user', content: this.#text(300) } })]
    for (let round = 0; round < 4; round++) lines.push(...this.#reply(round))
    return lines
  }

  compaction() {
    const kept = this.#tip
    const boundary = this.#line('system', { subtype: 'compact_boundary' })
    const summary = this.#line('user', {
      isCompactSummary: true,
      message: { role: 'user', content: this.#text(4000) },
    })
    boundary.parentUuid = null
    boundary.compactMetadata = {
      trigger: 'auto',
      preTokens: 1000,
      preservedMessages: { anchorUuid: summary.uuid, uuids: [kept] },
    }
    return [boundary, summary]
  }

  #reply(round) {
    const id = `msg_${this.#count}`
    const usage = { input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 900 }
    const reply = (content) =>
      this.#line('assistant', {
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: 'm-1',
          content: [content],
          usage,
        },
        requestId: `req_${id}`,
      })
    const calls = [1, 2].map((call) => `toolu_${this.#count}_${round}_${call}`)
    const blocks = [
      reply({ type: 'text', text: this.#text(500) }),
      ...calls.map((call) =>
        reply({ type: 'tool_use', id: call, name: 'Read', input: { file_path: this.#text(60) } }),
      ),
    ]
    const results = calls.map((call, index) => {
      const text = this.#text(3000)
      const result = this.#line('user', {
        message: {
          role: 'user',
          content: [{ tool_use_id: call, type: 'tool_result', content: text }],
        },
        toolUseResult: { type: 'text', file: { content: text } },
      })
      result.parentUuid = blocks[index + 1].uuid
      return result
    })
    return [...blocks, ...results]
  }

  #line(type, fields) {
    const count = this.#count++
    const uuid = `${count.toString(16).padStart(8, '0')}-7d8c-4f7e-9a51-5d3c8f1f6f0a`
    const line = {
      parentUuid: this.#tip,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/ada/app',
      sessionId: SESSION,
      version: '2.1.170',
      gitBranch: 'main',
      type,
      ...fields,
      uuid,
      timestamp: new Date(1_770_000_000_000 + count * 1000).toISOString(),
    }
    this.#tip = uuid
    return line
  }
}

const WAYS = {
  ours: async ({ path, root }) => {
    const { importSession } = await loadSessions()
    return async () => {
      const { events } = await importSession(path, { root, home: root })
      if (events === 0) throw new Error('nothing was imported')
      rmSync(root, { recursive: true })
    }
  },
  // Every line parsed and serialised once: the least that any converter does.
  parse: async ({ path }) => {
    return () => {
      const bytes = readFileSync(path)
      let chars = 0
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(0x0a, start)
        chars += JSON.stringify(JSON.parse(bytes.toString('utf8', start, end))).length
        start = end + 1
      }
      if (chars === 0) throw new Error('nothing was read')
    }
  },
}

export async function goThrough({ way, ...place }) {
  const work = await WAYS[way](place)
  const start = performance.now()
  await work()
  return { micros: (performance.now() - start) * 1000, peak: peakBytes() }
}
