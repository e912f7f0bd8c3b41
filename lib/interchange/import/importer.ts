// The contract of importers. An importer is a pure state machine: it is given the records of a
// foreign transcript in order and emits our events. It opens no file, reads no clock and uses no
// random ids, so the same records always become the same events.

export type ForeignValue = Readonly<Record<string, unknown>>

/** One JSON object of the source, and the position of its bytes. */
export interface ForeignRecord {
  readonly value: ForeignValue
  readonly byteOffset: number
  readonly length: number
  /** SHA-256 of exactly these bytes. */
  readonly sha256: string
}

/** The uuid of the header of every imported log: what its first events follow. */
export const HEADER_UUID = 'header'

export interface ImportedEvent {
  readonly type: string
  readonly uuid: string
  /** `null` off-chain; `HEADER_UUID` for a root of the source. */
  readonly prev_uuid: string | null
  readonly ts: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The subagent whose log it belongs to; `undefined` for the log of the session. */
  readonly task?: string | undefined
}

/** How a subagent ended, by the transcript of its parent. */
export interface TaskEnding {
  readonly success: boolean
  readonly summary: string
}

/** What an importer found out about a subagent. */
export interface ImportedTask {
  readonly taskId: string
  /** The `subagent_spawn` event in the log of its parent. */
  readonly spawnUuid: string
  readonly agentType?: string | undefined
  readonly toolCallId?: string | undefined
}

/** Receives what an importer makes. Every record ends up here, as an event or with a reason. */
export interface ImportSink {
  event(event: ImportedEvent): void
  /** A record, or a part of one, that becomes no event. */
  dropped(reason: DropReason, record: ForeignRecord): void
  /** Something that was repaired, or differs from what the source meant. */
  repaired(reason: RepairReason, record: ForeignRecord): void
  task(task: ImportedTask): void
  taskEnded(taskId: string, ending: TaskEnding): void
}

/** Why an importer leaves out a record. */
export const DROP_REASONS = {
  permission_state: 'permission modes, approvals and sandbox policies are never stored',
  repeated_record: 'a copy of an earlier record of the file',
  said_twice: 'a display copy of a message that the file also holds itself',
  stream_part: 'a progress report about a step that is recorded itself',
  copied_history: 'a header copied from the session this one was forked from',
  damaged: 'bytes in which no whole record could be found',
  unfinished_line: 'the last line is not finished yet; it is imported when it is',
  refused: 'too large or nested too deeply; a placeholder takes its place',
} as const

export type DropReason = keyof typeof DROP_REASONS

/** What an importer repairs. */
export const REPAIR_REASONS = {
  salvaged: 'a whole record was found in a damaged line',
  parent_missing: 'it follows a record that is missing, so it begins a branch of its own',
  parent_damaged: 'it follows a record that was damaged, and was linked to the one before',
  kept_missing: 'a compaction keeps a record that is missing',
  kept_walk_broken: 'the kept part of a compaction is not connected; its end is kept',
  kept_renamed: 'a compaction in a fork names records by their old ids; the new ones were found',
  summary_missing: 'a compaction without a summary',
  first_kept_missing: 'a compaction names a first kept record that is missing; nothing is kept',
  rollback_too_far: 'more turns were rolled back than there are',
  rewind_unknown: 'it rewinds to a message that is missing, which clears everything',
  bad_time: 'no readable time; that of the record before was used',
  bad_id: 'its id cannot be one of our uuids; it was given another one',
} as const

export type RepairReason = keyof typeof REPAIR_REASONS

export type Counts<Reason extends string> = Readonly<Partial<Record<Reason, number>>>

/** The account of one import: nothing of the source disappears without a count and a reason. */
export class Losses {
  readonly #dropped = new Map<DropReason, number>()
  readonly #repaired = new Map<RepairReason, number>()

  drop(reason: DropReason): void {
    this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1)
  }

  repair(reason: RepairReason): void {
    this.#repaired.set(reason, (this.#repaired.get(reason) ?? 0) + 1)
  }

  get dropped(): Counts<DropReason> {
    return Object.fromEntries(this.#dropped)
  }

  get repaired(): Counts<RepairReason> {
    return Object.fromEntries(this.#repaired)
  }
}

/** What the first records of a source say about it. */
export interface SourceFacts {
  readonly sessionId: string
  readonly startTs: string | undefined
  readonly cwd: string | undefined
  readonly kind?: 'interactive' | 'headless' | 'subagent' | undefined
  readonly parentSessionKey?: string | undefined
  readonly previousSessionKey?: string | undefined
  /** The file is the log of this subagent of `sessionId`. */
  readonly taskId?: string | undefined
}

export interface ImportContext {
  readonly facts: SourceFacts
  readonly sink: ImportSink
  /** Subagents that have files of their own. */
  readonly tasks: ReadonlyMap<string, { readonly toolCallId?: string | undefined }>
}

/** One import under way. */
export interface ImportRun {
  add(record: ForeignRecord): void
  /** A line was damaged: records are missing here. */
  damage?(): void
  /** No more records for now. `size`: how many bytes of the source were read. */
  end?(size: number): void
}

/** Where a program keeps its transcripts. */
export interface TranscriptFolder {
  /** The environment variable that moves it. */
  readonly variable?: string
  /** From the home folder. */
  readonly home: readonly string[]
  readonly inside: readonly string[]
  /** How many levels of folders below are searched. */
  readonly depth: number
  readonly isTranscript: (name: string) => boolean
}

/** Reads the transcripts of one foreign format. */
export interface Importer {
  /** As `--from` names it. */
  readonly format: string
  /** The name of the program that wrote it, for people. */
  readonly harness: string
  readonly folder: TranscriptFolder
  /** Whether these, the first records of a file, are of this format. */
  detects(first: readonly ForeignValue[]): boolean
  /** Whether an object found in a damaged line can be a record, and not a part of one. */
  isRecord(value: ForeignValue): boolean
  /** `name`: the file's, without folder and extension. */
  describe(first: readonly ForeignValue[], name: string): SourceFacts
  start(context: ImportContext): ImportRun
}
