// The first pass over a transcript of Claude Code: what a line cannot know about the lines after it. It holds
// hashes of ids and the few ids that need attention, no contents.

import { UuidIndex } from '../../log/index.js'
import { fieldsOf, listOf, stringsOf, textOf } from '../import/fields.js'
import type { ForeignValue, SurveyedRecord } from '../import/importer.js'
import { isCall, isResult, isSpoken } from './lines.js'

/** Claude Code compares so much of the uuid of a message that it takes back. */
const RETRACTED_CHARS = 24

export class ClaudeSurvey {
  /** Of every line, where it is first. */
  readonly #lines = new UuidIndex()
  readonly #repeated = new Set<string>()
  /** Parents that no line before had, until a line has them. */
  readonly #awaited = new Set<string>()
  readonly #late = new Set<string>()
  /** Calls without a result → the reply they belong to. */
  readonly #openCalls = new Map<string, string | undefined>()
  readonly #earlyResults = new Set<string>()
  /** Replies that have more than thoughts and calls without results. */
  readonly #spoken = new UuidIndex()
  readonly #retracted = new Set<string>()

  add({ value, byteOffset }: SurveyedRecord): void {
    const { uuid, type, parentUuid } = value
    if (typeof uuid !== 'string' || typeof type !== 'string') return
    if (this.#lines.find(uuid) === undefined) this.#lines.add(uuid, byteOffset)
    else this.#repeated.add(uuid)
    if (this.#awaited.delete(uuid)) this.#late.add(uuid)
    if (typeof parentUuid === 'string' && this.#lines.find(parentUuid) === undefined) {
      this.#awaited.add(parentUuid)
    }
    if (type === 'assistant') this.#addReply(value)
    else if (type === 'user') this.#addResults(value)
    else if (type === 'system') this.#addRetracted(value)
  }

  #addReply({ message }: ForeignValue): void {
    const { id, content } = fieldsOf(message)
    const reply = textOf(id)
    for (const block of listOf(content)) {
      const call = isCall(block) ? textOf(fieldsOf(block)['id']) : undefined
      if (call !== undefined && !this.#earlyResults.delete(call)) this.#openCalls.set(call, reply)
      else if (isSpoken(block)) this.#speak(reply)
    }
  }

  #addResults({ message }: ForeignValue): void {
    for (const block of listOf(fieldsOf(message)['content'])) {
      const call = isResult(block) ? textOf(fieldsOf(block)['tool_use_id']) : undefined
      if (call === undefined) continue
      const reply = this.#openCalls.get(call)
      if (this.#openCalls.delete(call)) this.#speak(reply)
      else this.#earlyResults.add(call)
    }
  }

  #speak(reply: string | undefined): void {
    if (reply !== undefined) this.#spoken.add(reply, 0)
  }

  #addRetracted({ subtype, retractedMessageUuids }: ForeignValue): void {
    if (subtype !== 'model_refusal_fallback') return
    for (const uuid of stringsOf(retractedMessageUuids)) {
      this.#retracted.add(uuid.slice(0, RETRACTED_CHARS))
    }
  }

  /** Where the line is; `undefined` if the file does not have it. */
  offsetOf(uuid: string): number | undefined {
    return this.#lines.find(uuid)
  }

  /** Whether a line that follows it is before it in the file. */
  isLate(uuid: string): boolean {
    return this.#late.has(uuid)
  }

  isRepeated(uuid: string): boolean {
    return this.#repeated.has(uuid)
  }

  /**
   * Whether Claude Code leaves the line out of what it sends: calls that never got a result, thoughts of
   * a reply that has nothing else, and messages that were taken back.
   */
  isLeftOut({ type, uuid, message }: ForeignValue): boolean {
    if (type !== 'assistant' && type !== 'user') return false
    if (this.#retracted.has(String(uuid).slice(0, RETRACTED_CHARS))) return true
    if (type === 'user') return false
    const { id, content } = fieldsOf(message)
    const blocks = listOf(content)
    const calls = blocks.filter(isCall)
    if (calls.length > 0) {
      return calls.every((call) => this.#openCalls.has(String(fieldsOf(call)['id'])))
    }
    if (blocks.length === 0 || blocks.some(isSpoken)) return false
    const reply = textOf(id)
    return reply === undefined || this.#spoken.find(reply) === undefined
  }
}
