// The contract of importers. An importer is a pure state machine: it is given the records of a
// foreign transcript in order and emits our events. It opens no file, reads no clock and uses no
// random ids, so the same records always become the same events.
//
// Its caller relies on this:
// - One run may read several files, in order: `open(file)` before the records of each.
// - If the run has a `survey`, every record of every file is surveyed before the first is added. A
//   survey holds a compact index, never the records.
// - Records may arrive in batches of any size, with other work in between: no event depends on where a
//   batch ends. Events that only the end of the input decides are emitted by `end`, with uuids of their own.
// - A run is restarted by a new run that is fed the same records from the first one on. It emits the
//   same events with the same uuids; the caller skips those that it holds. Where a longer input changes what an
//   event follows, the caller writes it again as a copy, after a rewind: a run links
//   its events as the records it was given require, and does not look at what was emitted earlier.
// - Of a file that was imported and no longer exists, the run is given the events in place of the
//   records (`recall`).

export type ForeignValue = Readonly<Record<string, unknown>>

/** One JSON object of the source, and the position of its bytes. */
export interface ForeignRecord {
  readonly value: ForeignValue
  readonly byteOffset: number
  readonly length: number
  /** SHA-256 of exactly these bytes. */
  readonly sha256: string
  /** The name of its file, if that is not the first of the session. */
  readonly source?: string | undefined
}

/** A record before the first pass ends. Its hash is not computed yet. */
export type SurveyedRecord = Omit<ForeignRecord, 'sha256'>

/** Where a record is, to read it again. */
export type RecordPlace = Pick<ForeignRecord, 'byteOffset' | 'length' | 'source'>

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
  dropped(reason: DropReason, record: RecordPlace): void
  /** Something that was repaired, or differs from what the source meant. */
  repaired(reason: RepairReason, record: RecordPlace): void
  /** A structure that the importer does not know and the model might see. */
  uninterpreted(type: string, record: RecordPlace): void
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
  parent_missing:
    'it follows a record that is missing; it was linked to the one before, or begins a branch',
  parent_damaged: 'it follows a record that was damaged, and was linked to the one before',
  kept_missing: 'a compaction keeps a record that is missing',
  kept_walk_broken: 'the kept part of a compaction is not connected; its end is kept',
  kept_renamed: 'a compaction in a fork names records by their old ids; the new ones were found',
  summary_missing: 'a compaction without a summary',
  first_kept_missing: 'a compaction names a first kept record that is missing; nothing is kept',
  rollback_too_far: 'more turns were rolled back than there are',
  base_missing: 'it continues a file that is missing, with the turns in it',
  rewind_unknown: 'it rewinds to a message that is missing, which clears everything',
  bad_time: 'no readable time; that of the record before was used',
  bad_id: 'its id cannot be one of our uuids; it was given another one',
} as const

export type RepairReason = keyof typeof REPAIR_REASONS

export type Counts<Reason extends string> = Readonly<Partial<Record<Reason, number>>>

/** Files name their types freely; a report must stay readable. */
const UNINTERPRETED_MAX = 100

/** The account of one import: nothing of the source disappears without a count and a reason. */
export class Losses {
  readonly #dropped = new Map<DropReason, number>()
  readonly #repaired = new Map<RepairReason, number>()
  readonly #uninterpreted = new Map<string, number>()

  drop(reason: DropReason): void {
    count(this.#dropped, reason)
  }

  repair(reason: RepairReason): void {
    count(this.#repaired, reason)
  }

  leaveUninterpreted(type: string): void {
    const isNew = !this.#uninterpreted.has(type)
    count(this.#uninterpreted, isNew && this.#uninterpreted.size >= UNINTERPRETED_MAX ? '…' : type)
  }

  get dropped(): Counts<DropReason> {
    return Object.fromEntries(this.#dropped)
  }

  get repaired(): Counts<RepairReason> {
    return Object.fromEntries(this.#repaired)
  }

  get uninterpreted(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#uninterpreted)
  }
}

function count<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
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
  /** What the user named the session, if its program keeps names in a file of their own. */
  readonly title?: string | undefined
  /** The id of the file itself, if others can name it as what they continue. */
  readonly fileId?: string | undefined
  /** The file begins where another one was left, in this or in another session. */
  readonly continues?: Continuation | undefined
}

/** What a file continues: another one, up to a position in it. */
export interface Continuation {
  /** The other file, as its `fileId`. */
  readonly fileId: string
  /** The position in the other file, in bytes; `undefined`: its end. */
  readonly byteOffset?: number | undefined
}

/** One of the files that a session is read from. */
export interface SourceFile {
  /** As records name it; `undefined` for the first file of the session. */
  readonly source: string | undefined
  readonly path: string
  /** Its own facts; those of the first file are the facts of the session. */
  readonly facts: SourceFacts
}

export interface ImportContext {
  /** Of the session, by its first file. */
  readonly facts: SourceFacts
  readonly sink: ImportSink
  /** Reads a record again that was surveyed or added, to hold its position instead of the record. */
  readonly reread: (place: RecordPlace) => ForeignRecord
  /** Subagents that have files of their own. */
  readonly tasks: ReadonlyMap<string, { readonly toolCallId?: string | undefined }>
}

/** An event of a file that was imported earlier and is gone. */
export interface RecalledEvent {
  readonly type: string
  readonly uuid: string
  readonly prev_uuid: string | null
  readonly ts: string
  /** With `imported_from`, the position of its record in the file that is gone. */
  readonly payload: Readonly<Record<string, unknown>>
}

/** One import under way. */
export interface ImportRun {
  /**
   * Sees every record of every file before the first is added. Only for formats in which a record
   * cannot be placed without later ones: it costs a second pass.
   */
  survey?(record: SurveyedRecord): void
  /** The records of this file follow. */
  open?(file: SourceFile): void
  /** In place of `add` for a file that is gone: what became of it, in the order of the log. */
  recall?(event: RecalledEvent): void
  add(record: ForeignRecord): void
  /** A line was damaged: records are missing here. */
  damage?(line: RecordPlace): void
  /** No more records for now. `size`: how many bytes of the sources were read. */
  end?(size: number): void
}

/** Where a program keeps its transcripts. */
export interface TranscriptFolder {
  /** The environment variable that moves it. */
  readonly variable?: string
  /** The environment variable that names a folder of transcripts itself, used besides the others. */
  readonly ownVariable?: string
  /** From the home folder. */
  readonly home: readonly string[]
  readonly inside: readonly string[]
  /** How many levels of folders below are searched. */
  readonly depth: number
  readonly isTranscript: (name: string) => boolean
}

/** How to find the files of a session that has several. */
export interface SiblingRule {
  /**
   * Where they are: in the folder of the file, or anywhere in the folders in which the program
   * keeps its transcripts.
   */
  readonly where: 'folder' | 'program'
  /** Whether a file of this name may belong to the session; its content decides. */
  readonly isNamed: (name: string, sessionId: string) => boolean
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
  /** Without it, a session is one file. With it, its files are read in the order of their first times. */
  readonly siblings?: SiblingRule
  /**
   * A small file that holds the path of the project, from the folder of the transcript. It is read if
   * the transcript names no folder.
   */
  readonly projectFile?: readonly string[]
  /** A file beside the folders of transcripts with the names of sessions, the newest last. */
  readonly titles?: {
    readonly name: string
    readonly read: (value: ForeignValue) => { sessionId: string; title: string } | undefined
  }
  start(context: ImportContext): ImportRun
}
