// Random transcripts of Claude Code: branches, parallel tools, compactions of all shapes. What the
// imported session shows is what the rules of the program say, applied to the whole file.

import { expect, it } from 'vitest'
import { claudeCode } from '../../../lib/interchange/claude-code/importer.js'
import { projectEvents, runImporter, shownUuids } from '../../contracts/foreign-files.js'
import { runs } from '../../helpers/effort.js'
import { Random } from '../../helpers/random.js'
import { type Line, shownByRules } from './claude-rules.js'

const FILES = runs(500)

it('projects a random transcript by the rules of Claude Code', () => {
  const seen = { boundaries: 0 }
  for (let seed = 1; seed <= FILES; seed++) {
    const lines = new Writer(new Random(seed)).write()
    seen.boundaries += lines.filter(({ subtype }) => subtype !== undefined).length
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { events } = runImporter(claudeCode, bytes)
    const reported = `seed ${seed}\n${lines.map(describeLine).join('\n')}`
    expect(shownUuids(projectEvents(events)), reported).toEqual(shownByRules(lines))
  }
  expect(seen.boundaries).toBeGreaterThan(FILES / 4)
})

class Writer {
  readonly #random: Random
  readonly #lines: Line[] = []
  /** Messages on the path that the next line may follow, and that a compaction may keep. */
  #path: string[] = []
  #tip: string | null = null
  #count = 0

  constructor(random: Random) {
    this.#random = random
  }

  write(): Line[] {
    this.#say('user')
    const steps = 3 + this.#random.below(14)
    for (let step = 0; step < steps; step++) {
      const dice = this.#random.below(12)
      if (dice < 4) this.#say('user')
      else if (dice < 6) this.#say('assistant')
      else if (dice < 8) this.#callTools()
      else if (dice < 9) this.#beside()
      else if (dice < 10) this.#branch()
      else this.#compact()
    }
    // A line that a person typed ends every conversation.
    this.#say('assistant')
    for (let metas = this.#random.below(2); metas > 0; metas--) this.#say('user', true)
    return this.#lines
  }

  #name(letter: string): string {
    this.#count++
    return `${letter}${this.#count}`
  }

  #add(line: Omit<Line, 'parentUuid'> & { parentUuid?: string | null }): void {
    const parentUuid = line.parentUuid === undefined ? this.#tip : line.parentUuid
    this.#lines.push({ sessionId: 's', ...line, parentUuid } as Line)
  }

  #say(type: 'user' | 'assistant', isMeta = type === 'user' && this.#random.below(8) === 0): void {
    const uuid = this.#name(type === 'user' ? 'u' : 'a')
    const message = { ...(type === 'assistant' && { id: `m-${uuid}` }), content: uuid }
    this.#add({ type, uuid, message, ...(isMeta && { isMeta }) })
    this.#tip = uuid
    this.#path.push(uuid)
  }

  /** Blocks of one reply; results follow their blocks, and the chain continues from one of them. */
  #callTools(): void {
    const id = this.#name('m')
    const count = 1 + this.#random.below(3)
    const results: { parentUuid: string; uuid: string }[] = []
    for (let call = 0; call < count; call++) {
      const uuid = this.#name('t')
      this.#add({
        type: 'assistant',
        uuid,
        message: { id, content: [{ type: 'tool_use', id: uuid }] },
      })
      this.#tip = uuid
      this.#path.push(uuid)
      results.push({ parentUuid: uuid, uuid: `r-${uuid}` })
      if (this.#random.below(2) === 0) this.#answer(results)
    }
    const last = results.at(-1)?.uuid
    this.#answer(results)
    if (last !== undefined) this.#tip = last
  }

  #answer(results: { parentUuid: string; uuid: string }[]): void {
    for (const { parentUuid, uuid } of results.splice(0)) {
      const content = [{ type: 'tool_result', tool_use_id: parentUuid, content: 'x' }]
      this.#add({ type: 'user', uuid, parentUuid, message: { content } })
      this.#path.push(uuid)
      if (this.#random.below(3) > 0) this.#tip = uuid
    }
  }

  #beside(): void {
    const uuid = this.#name('x')
    const type = ['attachment', 'progress', 'system'][this.#random.below(3)]!
    this.#add({ type, uuid })
    this.#tip = uuid
  }

  /** A rewind to an earlier message with another prompt. */
  #branch(): void {
    const plain = this.#path.filter((uuid) => /^[ua]/.test(uuid))
    if (plain.length < 2) return
    const target = plain[this.#random.below(plain.length)]!
    this.#path = this.#path.slice(0, this.#path.indexOf(target) + 1)
    this.#tip = target
    this.#say('user')
  }

  #compact(): void {
    const boundary = this.#name('b')
    const summary = this.#name('s')
    const from = this.#random.below(this.#path.length + 1)
    const kept = this.#random.below(3) === 0 ? [] : this.#path.slice(from)
    const isPrefix = kept.length > 0 && this.#random.below(4) === 0
    const preserved = { anchorUuid: isPrefix ? boundary : summary, uuids: kept }
    const compactMetadata = kept.length === 0 ? {} : { preservedMessages: preserved }
    this.#add({
      type: 'system',
      subtype: 'compact_boundary',
      uuid: boundary,
      parentUuid: null,
      compactMetadata,
    })
    const message = { content: 'summary' }
    const parentUuid = boundary
    this.#add({ type: 'user', uuid: summary, parentUuid, isCompactSummary: true, message })
    const last = kept.at(-1)
    // Where the kept part is before the summary, new lines follow the summary.
    const isOnKept = last !== undefined && !isPrefix && this.#random.below(2) === 0
    this.#tip = isOnKept ? last : summary
    this.#path = []
    this.#say('user')
  }
}

function describeLine({ type, uuid, parentUuid, compactMetadata }: Line): string {
  const kept = compactMetadata === undefined ? '' : JSON.stringify(compactMetadata)
  return `${type} ${uuid} < ${parentUuid} ${kept}`
}
