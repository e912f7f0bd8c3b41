// What the viewer reads, from a server or from the file it is in.

import type { SessionEvent } from '../../format/index.js'

export interface Damage {
  readonly reason: string
  readonly message: string
}

/** One line of a log, short: enough to list it, to find it and to fold results into their calls. */
export interface Row {
  readonly offset: number
  readonly length: number
  readonly uuid: string | null
  readonly prev: string | null
  /** Empty for a damaged line. */
  readonly type: string
  readonly ts: string | null
  /** Whether it is on the chain. */
  readonly chain: boolean
  readonly title: string
  readonly error?: boolean | undefined
  readonly tool?: string | undefined
  /** Ids of the tool calls it makes. */
  readonly calls?: readonly string[] | undefined
  /** Ids of the tool calls it answers. */
  readonly results?: readonly string[] | undefined
  readonly onlyResults?: boolean | undefined
  readonly onlyCalls?: boolean | undefined
  /** Of a subagent: the name of its log. */
  readonly task?: string | undefined
  readonly damage?: Damage | undefined
  /** Only in what the model sees. */
  readonly kind?: 'event' | 'summary' | 'gap' | undefined
  /** The session whose file it is in; absent: the one that is shown. */
  readonly sessionId?: string | undefined
}

/** A row without an event. */
export const EMPTY_ROW: Row = {
  offset: -1,
  length: 0,
  uuid: null,
  prev: null,
  type: '',
  ts: null,
  chain: false,
  title: '',
}

/** One line of a log, whole. */
export interface Entry {
  readonly offset: number
  readonly length?: number | undefined
  readonly event?: SessionEvent | undefined
  /** Of a summary: its newest text. */
  readonly text?: string | undefined
  readonly damage?: Damage | undefined
  /** Of a gap in what the model sees. */
  readonly reason?: string | undefined
  /** Long texts are cut. */
  readonly clipped?: boolean | undefined
}

export interface SessionRow {
  readonly id: string
  readonly title: string | null
  readonly project: string | null
  readonly status: string
  /** These figures are absent where the server does not know them. */
  readonly turns?: number | null | undefined
  readonly tokens?: number | null | undefined
  readonly costMicroUsd?: number | null | undefined
  readonly models?: readonly string[] | undefined
  readonly startedAt: string | null
  readonly updatedAt: string | null
  readonly durationMs?: number | null | undefined
  readonly bytes: number
  readonly tags: readonly string[]
  readonly parent: { readonly sessionId: string; readonly kind: 'resume' | 'fork' } | null
}

export interface SessionList {
  readonly sessions: readonly SessionRow[]
  readonly next: string | null
  readonly total: number
}

export interface TreeBranch {
  readonly firstUuid: string
  readonly lastUuid: string
  readonly fromUuid: string | null
  readonly active: boolean
  readonly cause: string
  readonly events: number
  readonly startedAt: string
  readonly lastAt: string
}

export interface Relative {
  readonly sessionId: string
  readonly kind: 'fork' | 'resume'
  readonly title: string | null
  readonly atUuid: string | null
}

export interface Subagent {
  readonly taskId: string
  readonly spawnUuid: string | null
  readonly title: string | null
  readonly status: string
  readonly tokens: number | null
  readonly costMicroUsd: number | null
}

export interface Tree {
  readonly branches: readonly TreeBranch[]
  readonly boundaries: readonly {
    readonly uuid: string
    readonly ts: string
    readonly summaryUuid: string | null
    readonly active: boolean
  }[]
  readonly rewinds: readonly {
    readonly uuid: string
    readonly ts: string
    readonly fromUuid: string | null
    readonly toUuid: string | null
    readonly active: boolean
  }[]
  readonly ancestors: readonly Relative[]
  readonly descendants: readonly Relative[]
  readonly subagents: readonly Subagent[]
}

export interface Match {
  readonly sessionId: string
  readonly title: string | null
  readonly uuid: string
  readonly type: string
  readonly ts: string | null
  readonly snippet: string
  /** Where the text was found in the snippet. */
  readonly ranges: readonly (readonly [number, number])[]
}

export interface Page<T> {
  readonly entries: readonly T[]
  /** Where to continue, also at the end of the log. */
  readonly next: string
  readonly atEnd: boolean
}

export interface FollowHandlers {
  onEntry(row: Row, entry: Entry, cursor: string): void
  /** Whether new events arrive at present. */
  onConnection(isConnected: boolean): void
  /** Another file has taken the place of the log. */
  onReplaced(): void
}

/** One session, wherever it is read from. */
export interface SessionSource {
  readonly sessionId: string
  /** Whether events can arrive while it is read. */
  readonly isLive: boolean
  readSession(): Promise<SessionRow>
  readTree(): Promise<Tree>
  /** A page of the outline; `log` is the name of a subagent's log. */
  readOutline(from: string | undefined, log?: string): Promise<Page<Row>>
  /** Lines from a byte on; `clip` cuts longer texts. */
  readEvents(options: EventsRange): Promise<readonly Entry[]>
  /** What the model sees now, or saw at an event. */
  readSeen(at: string | undefined): Promise<readonly Row[]>
  readMessages(options: MessagesRange): Promise<readonly Entry[]>
  search(query: string, signal: AbortSignal): Promise<readonly Match[]>
  /** Returns when the signal aborts. */
  follow(from: string, handlers: FollowHandlers, signal: AbortSignal): Promise<void>
}

export interface EventsRange {
  readonly offset: number
  readonly limit: number
  readonly log?: string | undefined
  readonly clip?: number | undefined
}

export interface MessagesRange {
  readonly at: string | undefined
  readonly from: number
  readonly limit: number
  readonly clip?: number | undefined
}
