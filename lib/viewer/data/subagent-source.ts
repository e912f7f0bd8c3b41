// The log of a subagent, as a session of its own.

import type { EventsRange, Match, Page, Row, SessionRow, SessionSource, Tree } from './types.js'

export class SubagentSource implements SessionSource {
  readonly sessionId: string
  readonly isLive = false
  readonly #parent: SessionSource
  readonly #task: string

  constructor(parent: SessionSource, task: string) {
    this.#parent = parent
    this.#task = task
    this.sessionId = `${parent.sessionId} ${task}`
  }

  readSession(): Promise<SessionRow> {
    return this.#parent.readSession()
  }

  readTree(): Promise<Tree> {
    return this.#parent.readTree()
  }

  readOutline(from: string | undefined): Promise<Page<Row>> {
    return this.#parent.readOutline(from, this.#task)
  }

  readEvents(range: EventsRange) {
    return this.#parent.readEvents({ ...range, log: this.#task })
  }

  // Only the written lines of a subagent are shown: no lens asks for these.
  async readSeen(): Promise<readonly Row[]> {
    return []
  }

  async readMessages() {
    return []
  }

  async search(): Promise<readonly Match[]> {
    return []
  }

  async follow(): Promise<void> {
    // It is read again when it is opened again.
  }
}
