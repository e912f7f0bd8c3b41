// What an importer is: a pure machine that takes the records of a foreign transcript in their order
// and says which events of ours they are. It opens nothing, asks no clock and makes no chance ids,
// so the same records always become the same events.

export type ForeignValue = Readonly<Record<string, unknown>>

/** One JSON object of the source, and where its bytes stand. */
export interface ForeignRecord {
  readonly value: ForeignValue
  readonly byte_offset: number
  readonly length: number
  readonly line_number: number
  /** SHA-256 of exactly these bytes. */
  readonly sha256: string
}

/** The uuid of the header of every imported log: what the first events follow. */
export const HEADER_UUID = 'header'

export interface ImportedEvent {
  readonly type: string
  readonly uuid: string
  /** `null` beside the chain; `HEADER_UUID` for a root of the source. */
  readonly prev_uuid: string | null
  readonly ts: string
  readonly payload: Readonly<Record<string, unknown>>
  /** It belongs into the log of this subagent, not into the session's own. */
  readonly task?: string | undefined
}

/** How a subagent ended, as the transcript of its parent tells it. */
export interface TaskEnding {
  readonly isSuccess: boolean
  readonly summary: string
}

/** What an importer found out about a subagent. */
export interface ImportedTask {
  readonly task_id: string
  /** The `subagent_spawn` event in the log of its parent. */
  readonly spawn_uuid: string
  readonly agent_type?: string | undefined
  readonly tool_call_id?: string | undefined
}

/** Where an importer puts what it makes. Everything that goes in comes out here, as one of these. */
export interface ImportSink {
  event(event: ImportedEvent): void
  /** A record, or a part of one, that becomes no event. */
  dropped(reason: DropReason, record: ForeignRecord): void
  /** Something that is not as the source meant it, or was mended. */
  repaired(reason: RepairReason, record: ForeignRecord | undefined): void
  task(task: ImportedTask): void
  taskEnded(taskId: string, ending: TaskEnding): void
}

export const DROP_REASONS = {
  permission_state: 'permission modes, approvals and sandbox policies are never stored',
  repeated_record: 'a copy of a record that stands earlier in the file',
  said_twice: 'a display copy of a message that the file also holds itself',
  stream_part: 'a progress report about a step that is recorded itself',
  copied_history: 'a header copied from the session this one was forked from',
  damaged: 'bytes in which no whole record could be found',
  unfinished_line: 'the last line is not finished yet; it is taken when it is',
  refused: 'too large or nested too deeply; a stand-in keeps its place',
} as const

export type DropReason = keyof typeof DROP_REASONS

export const REPAIR_REASONS = {
  salvaged: 'a whole record was found in a damaged line',
  parent_missing: 'it follows a record that is not there, so it begins a branch of its own',
  parent_damaged: 'it follows a record that was damaged, and was linked to the one before',
  kept_missing: 'a compaction keeps a record that is not there',
  kept_walk_broken: 'the kept part of a compaction does not hang together; its end is kept',
  kept_renamed: 'a compaction in a fork names records by their old ids; the new ones were found',
  summary_missing: 'a compaction without a summary',
  first_kept_missing: 'a compaction names a first kept record that is not there; nothing is kept',
  rollback_too_far: 'more turns were taken back than there are',
  rewind_unknown: 'it goes back to a message that is not there, which clears everything',
  bad_time: 'no readable time; that of the record before was taken',
  bad_id: 'its id cannot be a uuid of ours; it was given another one',
} as const

export type RepairReason = keyof typeof REPAIR_REASONS

/** What the beginning of a source tells about it. */
export interface SourceFacts {
  readonly session_id: string
  readonly start_ts: string | undefined
  readonly cwd: string | undefined
  readonly kind?: 'interactive' | 'headless' | 'subagent' | undefined
  readonly parent_session_key?: string | undefined
  readonly previous_session_key?: string | undefined
  /** The file is the log of a subagent of `session_id`. */
  readonly task_id?: string | undefined
}

export interface ImportContext {
  readonly facts: SourceFacts
  readonly sink: ImportSink
  /** Subagents whose logs lie in files of their own. */
  readonly tasks: ReadonlyMap<string, { readonly tool_call_id?: string | undefined }>
}

/** One import under way. */
export interface ImportRun {
  take(record: ForeignRecord): void
  /** A line from which nothing could be read. */
  damage(): void
  /** No more records for now. `size`: how many bytes of the source were read. */
  end(size: number): void
}

export interface Importer {
  /** As `--from` names it. */
  readonly format: string
  /** As people call the program that wrote it. */
  readonly harness: string
  /** Whether these, the first records of a file, are of this format. */
  detects(first: readonly ForeignValue[]): boolean
  /** Whether an object found in a damaged line can be a record, and not a part of one. */
  isRecord(value: ForeignValue): boolean
  /** `name`: the file's, without folder and extension. */
  describe(first: readonly ForeignValue[], name: string): SourceFacts
  start(context: ImportContext): ImportRun
}
