// Lines that a file has more than once. Most are copies that the client wrote again after a compaction;
// one with another content replaces the first, as it does for the client.

import { hash } from 'node:crypto'
import type { Emitter } from '../import/emitter.js'
import type { ForeignValue } from '../import/importer.js'
import { assistantPayload, userPayload } from './lines.js'
import type { ClaudeSurvey } from './survey.js'

export class ClaudeRepeats {
  readonly #emitter: Emitter
  readonly #survey: ClaudeSurvey
  /** Hashes of the contents, of repeated lines only. */
  readonly #contents = new Map<string, string>()

  constructor(emitter: Emitter, survey: ClaudeSurvey) {
    this.#emitter = emitter
    this.#survey = survey
  }

  /** False if the file had the line before: it is then dropped, or replaces the content. */
  isFirst(value: ForeignValue, uuid: string): boolean {
    if (!this.#survey.isRepeated(uuid)) return true
    const payload = payloadOf(value)
    const content = hash('sha256', JSON.stringify(payload?.['content'] ?? null))
    const before = this.#contents.get(uuid)
    this.#contents.set(uuid, content)
    if (before === undefined) return true
    if (before === content || payload === undefined) this.#emitter.drop('repeated_record')
    else this.#edit(uuid, payload)
    return false
  }

  #edit(id: string, payload: Record<string, unknown>): void {
    const target_uuid = this.#emitter.uuidOf(id)
    const uuid = `${target_uuid}~edit-${this.#emitter.origin.record.byteOffset}`
    this.#emitter.emit({
      type: 'message_edit',
      uuid,
      prev: null,
      payload: { target_uuid, payload },
    })
  }
}

function payloadOf(value: ForeignValue): Record<string, unknown> | undefined {
  if (value['type'] === 'user') return userPayload(value)
  return value['type'] === 'assistant' ? assistantPayload(value) : undefined
}
