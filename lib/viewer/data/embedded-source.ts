// A session inside the page: what `export --format html` writes. Each data block of the page is a JSON
// array; the first value of the first one describes the session, all others are lines of its logs.

import {
  type Block,
  blocksOf,
  EMPTY_START,
  isGap,
  type ProjectionEntry,
  projectLog,
  searchedText,
} from '../../chain/index.js'
import {
  EMPTY_ROW,
  type Entry,
  type EventsRange,
  type Match,
  type MessagesRange,
  type Page,
  type Row,
  type SessionRow,
  type SessionSource,
  type Tree,
} from './types.js'

/** The first value of the data. */
export interface EmbeddedHead {
  readonly version: 1
  readonly session: SessionRow
  readonly tree: Tree
  /** The files that the session begins in, oldest first, with the event that the next one continues. */
  readonly ancestors: readonly { readonly sessionId: string; readonly atUuid: string | null }[]
}

/** Every other value: a line of a log. */
export interface EmbeddedLine {
  /** `s:` and the id of a session, or `t:` and the name of a subagent's log. */
  readonly log: string
  readonly row: Row
  readonly entry: Entry
}

interface Log {
  readonly rows: Row[]
  readonly entries: Entry[]
}

const SNIPPET_CHARS = 120

export class EmbeddedSource implements SessionSource {
  readonly sessionId: string
  readonly isLive = false
  readonly #head: EmbeddedHead
  readonly #logs = new Map<string, Log>()

  constructor(head: EmbeddedHead, lines: Iterable<EmbeddedLine>) {
    this.#head = head
    this.sessionId = head.session.id
    for (const { log, row, entry } of lines) {
      const { rows, entries } = this.#log(log)
      rows.push(row)
      entries.push(entry)
    }
  }

  async readSession(): Promise<SessionRow> {
    return this.#head.session
  }

  async readTree(): Promise<Tree> {
    return this.#head.tree
  }

  async readOutline(_from: string | undefined, task?: string): Promise<Page<Row>> {
    return { entries: this.#log(this.#nameOf(task)).rows, next: '', atEnd: true }
  }

  async readEvents({ offset, limit, log: task }: EventsRange): Promise<readonly Entry[]> {
    const { entries } = this.#log(this.#nameOf(task))
    const start = entries.findIndex((entry) => entry.offset >= offset)
    return start === -1 ? [] : entries.slice(start, start + limit)
  }

  async readSeen(at: string | undefined): Promise<readonly Row[]> {
    return this.#project(at).map(({ row }) => row)
  }

  async readMessages({ at, from, limit }: MessagesRange): Promise<readonly Entry[]> {
    return this.#project(at)
      .slice(from, from + limit)
      .map(({ entry }) => entry)
  }

  async search(query: string): Promise<readonly Match[]> {
    const wanted = query.toLowerCase()
    const { id: sessionId, title } = this.#head.session
    return this.#log(`s:${sessionId}`).entries.flatMap(({ event }): Match[] => {
      if (event === undefined) return []
      const text = blocksOf(event)
        .map((block: Block) => searchedText(block))
        .join('\n')
      const at = text.toLowerCase().indexOf(wanted)
      if (at === -1) return []
      const start = Math.max(0, at - SNIPPET_CHARS / 3)
      const snippet = text.slice(start, start + SNIPPET_CHARS)
      const ranges = [[at - start, at - start + query.length]] as const
      const { uuid, type, ts } = event
      return [{ sessionId, title, uuid, type, ts, snippet, ranges }]
    })
  }

  async follow(): Promise<void> {
    // A file does not grow.
  }

  #nameOf(task: string | undefined): string {
    return task === undefined ? `s:${this.sessionId}` : `t:${task}`
  }

  #log(name: string): Log {
    let log = this.#logs.get(name)
    if (log === undefined) {
      log = { rows: [], entries: [] }
      this.#logs.set(name, log)
    }
    return log
  }

  /** The projection by the code that the library uses, over the files of the lineage. */
  #project(at: string | undefined): { row: Row; entry: Entry }[] {
    let start = EMPTY_START
    for (const { sessionId, atUuid } of this.#head.ancestors) {
      if (atUuid === null) continue
      const options = { file: sessionId, start, at: atUuid }
      start = projectLog(this.#events(sessionId), options).projection.continuation
    }
    const { projection } = projectLog(this.#events(this.sessionId), {
      file: this.sessionId,
      start,
      ...(at === undefined ? {} : { at, revisions: 'then' as const }),
    })
    return projection.entries.flatMap((entry) => this.#shown(entry))
  }

  #events(sessionId: string) {
    return this.#log(`s:${sessionId}`).entries.flatMap(({ event, offset }) =>
      event === undefined ? [] : [{ event, byte_offset: offset }],
    )
  }

  #shown(shown: ProjectionEntry): { row: Row; entry: Entry }[] {
    if (isGap(shown)) {
      const row: Row = { ...EMPTY_ROW, title: shown.kind, kind: 'gap' }
      return [{ row, entry: { offset: -1, reason: shown.kind } }]
    }
    if (shown.kind === 'event' && shown.removed === true) return []
    const { file: sessionId, byte_offset: offset, event } = shown
    const { rows } = this.#log(`s:${sessionId}`)
    const known = rows[indexOfOffset(rows, offset)] ?? EMPTY_ROW
    const text = shown.kind === 'summary' ? shown.text : undefined
    return [{ row: { ...known, kind: shown.kind, sessionId }, entry: { offset, event, text } }]
  }
}

/** `rows` by rising offset. -1: there is none. */
export function indexOfOffset(rows: readonly { readonly offset: number }[], offset: number) {
  let [low, high] = [0, rows.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = rows[middle]!.offset
    if (found === offset) return middle
    if (found < offset) low = middle + 1
    else high = middle - 1
  }
  return -1
}
