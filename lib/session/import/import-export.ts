// Imports our own export: the same events with the same uuids in the same order, so that the model
// sees the same. No existing file is changed, and every new log appears as a whole.

import { fieldsOf } from '../../chain/index.js'
import { ERROR_REMEDIES, isSessionError, SessionError } from '../../errors.js'
import {
  isHeaderType,
  isOnChain,
  LineEncoder,
  normalizeSessionKey,
  type SessionEvent,
} from '../../format/index.js'
import {
  type Counts,
  type DropReason,
  type ExportChannel,
  ExportReader,
  isOwnExport,
} from '../../interchange/index.js'
import {
  AtomicFile,
  copyLog,
  isPrefixOf,
  type LogEntry,
  type NewEvent,
  readLog,
} from '../../log/index.js'
import { findRefusal } from '../../log/internal.js'
import { type ForeignSource, findSidechainTarget, type StoreContext } from '../../store/index.js'
import { forkHeaderLine } from '../header.js'
import { eventJson, withoutPermissions } from '../without-permissions.js'
import type { ImportReport } from './import-session.js'
import { SKIP_REASONS } from './previous-import.js'

const OWN_FORMAT = 'jsonl-session'

export interface ImportExportedOptions {
  /**
   * Imports it as a session with this id. It begins with a header of its own that names the old
   * session, as a fork does.
   *
   * @default the id it had
   */
  newId?: string | undefined
}

export interface ImportedExport {
  readonly sessionId: string
  readonly transcriptPath: string
  /** Of all its logs. */
  readonly events: number
  readonly sidechains: number
  /** Ranges that were unreadable when it was exported. */
  readonly damaged: number
  /** Events from which permission state was left out. */
  readonly withoutPermissions: number
  /** The store holds all of it already, so nothing was written. */
  readonly duplicate: boolean
}

/**
 * Imports the file of an export, or its lines as `readLog` yields them. Throws ERR_EXISTS if another
 * session with that id exists, ERR_DAMAGED if the export is incomplete, and what `append` throws for an
 * event that it refuses. Permission state is left out.
 */
export async function importExported(
  store: StoreContext,
  source: string | AsyncIterable<LogEntry>,
  options: ImportExportedOptions = {},
): Promise<ImportedExport> {
  const importing = new ExportImport(store, options.newId)
  try {
    const { env: environment } = store
    await importing.read(typeof source === 'string' ? readLog(source, { environment }) : source)
    return importing.publish()
  } finally {
    importing.abandon()
  }
}

/** By the first line, which no other format has. */
export function isExportFile(source: ForeignSource, from: string): boolean {
  if (from === OWN_FORMAT) return true
  const [line] = source.head()
  if (from !== 'auto' || line === undefined) return false
  try {
    const value: unknown = JSON.parse(line.bytes.toString('utf8', line.start, line.end))
    return typeof value === 'object' && value !== null && isOwnExport(value as SessionEvent)
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** The same as `importExported`, with the report of an import. */
export async function importExportFile(
  store: StoreContext,
  path: string,
  { dryRun = false }: { dryRun?: boolean | undefined },
): Promise<ImportReport> {
  const importing = new ExportImport(store, undefined, dryRun)
  try {
    await importing.read(readLog(path, { environment: store.env }))
    const { id: sessionId, lines, events, dropped } = importing
    const transcriptPath = store.layout.transcriptPath(sessionId)
    const counts = {
      lines,
      events,
      dropped,
      repaired: {},
      uninterpreted: {},
      places: [],
      sidechains: [],
    }
    const report = { path, format: OWN_FORMAT, sessionId, transcriptPath, ...counts }
    const reason = dryRun ? undefined : publishUnlessKnown(importing)
    if (reason === undefined) return { ...report, skipped: null }
    return { ...report, events: 0, skipped: { reason, message: SKIP_REASONS[reason] } }
  } finally {
    importing.abandon()
  }
}

function publishUnlessKnown(importing: ExportImport): 'unchanged' | 'exists' | undefined {
  try {
    return importing.publish().duplicate ? 'unchanged' : undefined
  } catch (error) {
    if (!isSessionError(error, 'ERR_EXISTS')) throw error
    return 'exists'
  }
}

const HELD_BYTES_MAX = 1024 * 1024

interface NewLog {
  readonly channel: ExportChannel
  readonly name: string
  tip?: string
  /** The payload of its first event. */
  header?: unknown
  file?: AtomicFile
  path?: string
}

class ExportImport {
  readonly #store: StoreContext
  readonly #newId: string | undefined
  readonly #dryRun: boolean
  readonly #encoder = new LineEncoder()
  readonly #logs: NewLog[] = []
  lines = 0
  events = 0
  #damaged = 0
  #cleaned = 0
  #sourceId = ''

  constructor(store: StoreContext, newId: string | undefined, dryRun = false) {
    this.#store = store
    this.#newId = newId === undefined ? undefined : normalizeSessionKey(newId)
    this.#dryRun = dryRun
  }

  /** The id of the imported session. */
  get id(): string {
    return this.#newId ?? this.#sourceId
  }

  get dropped(): Counts<DropReason> {
    return this.#cleaned === 0 ? {} : { permission_state: this.#cleaned }
  }

  /** Writes the logs to temporary files. */
  async read(entries: AsyncIterable<LogEntry>): Promise<void> {
    const reader = new ExportReader()
    for await (const entry of entries) {
      if (entry.kind !== 'event') throw damagedError(entry)
      this.lines++
      const step = reader.read(entry.event)
      if (step.kind === 'log') this.#begin(step.channel, step.name)
      else if (step.kind === 'event') this.#add(step.event)
      else if (step.kind === 'damage') this.#skip(step.length)
    }
    reader.finish()
  }

  /** Gives the files their names. */
  publish(): ImportedExport {
    this.#flush()
    const transcript = this.#logs.find(({ channel }) => channel === 'transcript')
    const others = this.#logs.filter((log) => log !== transcript)
    if (transcript?.file === undefined) {
      throw new SessionError('ERR_DAMAGED', 'The export contains no transcript')
    }
    for (const { file } of this.#logs) file?.seal()
    // Checked before anything is named, so that a rejected session leaves no subagent behind.
    const missing = [...others, transcript].filter((log) => !this.#exists(log))
    // The transcript last: a reader that finds it also finds its ancestors and subagents.
    for (const log of missing) this.#publishLog(log)
    return {
      sessionId: this.id,
      transcriptPath: this.#store.layout.transcriptPath(this.id),
      events: this.events,
      sidechains: others.filter(({ channel }) => channel === 'sidechain').length,
      damaged: this.#damaged,
      withoutPermissions: this.#cleaned,
      duplicate: missing.length === 0,
    }
  }

  abandon(): void {
    for (const { file } of this.#logs) file?.abandon()
  }

  #begin(channel: NewLog['channel'], name: string): void {
    this.#flush()
    const key = normalizeSessionKey(name, channel === 'sidechain' ? 'A task id' : 'A session id')
    if (channel === 'transcript') this.#sourceId = key
    this.#logs.push({ channel, name: key })
  }

  #add(event: SessionEvent): void {
    this.events++
    const log = this.#logs.at(-1)!
    const clean = this.#check(log, event)
    if (this.#dryRun) return
    const own = this.#withNewParent(log, clean)
    log.file ??= this.#open(log, own)
    if (isOnChain(own)) log.tip = own.uuid
    // Where something was left out, the line stays as long as it was.
    this.#encoder.addBare(
      clean === event ? eventJson(own) : eventJson(own, Buffer.byteLength(eventJson(event))),
    )
    if (this.#encoder.byteLength > HELD_BYTES_MAX) this.#flush()
  }

  /** What an append refuses is refused, but for what older versions have recorded. */
  #check({ channel }: NewLog, event: SessionEvent): SessionEvent {
    const clean = withoutPermissions(event)
    if (clean !== event) this.#cleaned++
    const { type, ts, uuid, payload } = clean as SessionEvent & Pick<NewEvent, 'payload'>
    const kind = channel === 'sidechain' ? channel : 'transcript'
    const refusal = findRefusal({ type, ts, uuid, payload, recorded: true }, kind)
    if (refusal === undefined) return clean
    const why = refusal.message.replace(`. ${ERROR_REMEDIES[refusal.code]}`, '')
    const what = `Line ${this.lines} of the export cannot be imported: ${why}`
    throw new SessionError(refusal.code, what, { line: this.lines, cause: refusal })
  }

  /** Writes a blank line as long as the lost bytes, so that offsets in later boundaries stay valid. */
  #skip(length: number): void {
    this.#damaged++
    const file = this.#logs.at(-1)?.file
    if (file === undefined || length === 0) return
    this.#flush()
    file.write(Buffer.from(`${' '.repeat(length)}\n`))
  }

  #open(log: NewLog, first: SessionEvent): AtomicFile {
    const { path, taken } = this.#findPath(log, first)
    log.path = path
    if (isHeaderType(first.type)) log.header = first.payload
    // An existing file is compared, not replaced.
    return new AtomicFile(path, this.#store.env, { makeFolder: true, mayExist: taken })
  }

  #findPath({ channel, name }: NewLog, first: SessionEvent): { path: string; taken: boolean } {
    const { layout } = this.#store
    if (channel === 'ancestor') return { path: layout.transcriptPath(name), taken: true }
    if (channel === 'transcript') return { path: layout.transcriptPath(this.id), taken: true }
    const { parent_session_id } = fieldsOf(first.payload)
    const parent = typeof parent_session_id === 'string' ? parent_session_id : this.id
    return findSidechainTarget(this.#store, name, parent)
  }

  /** The headers of subagents name the new session. */
  #withNewParent({ channel }: NewLog, event: SessionEvent): SessionEvent {
    const isKept = this.#newId === undefined || channel !== 'sidechain'
    if (isKept || !isHeaderType(event.type)) return event
    return { ...event, payload: { ...(event.payload as object), parent_session_id: this.id } }
  }

  /** Whether the store holds all of it, possibly continued since. */
  #exists({ file, path, channel, name }: NewLog): boolean {
    if (file === undefined) return true
    if (!file.isNameTaken) return false
    const isCopy = this.#newId !== undefined && channel === 'transcript'
    if (!isCopy && isPrefixOf(file.temporary, path!, this.#store.env)) return true
    const kind = channel === 'ancestor' ? 'transcript' : channel
    const what = `Another ${kind} "${name}" exists already`
    throw new SessionError('ERR_EXISTS', what, { path, name })
  }

  #publishLog({ file, path, channel, tip, header }: NewLog): void {
    if (channel !== 'transcript' || this.#newId === undefined) {
      file!.finish()
      return
    }
    const forked_from = { session_id: this.#sourceId, at_uuid: tip ?? this.#sourceId }
    const opening = forkHeaderLine(this.#store, this.id, header, { forked_from, capture: 'import' })
    const copy = { from: file!.temporary, to: path!, opening, end: file!.size, later: [] }
    copyLog(copy, this.#store.env)
  }

  #flush(): void {
    if (this.#encoder.byteLength > 0) {
      this.#logs.at(-1)!.file!.write(this.#encoder.bytes({ isolate: false }))
    }
    this.#encoder.reset()
  }
}

function damagedError(entry: Exclude<LogEntry, { kind: 'event' }>): SessionError {
  const { byte_offset, diagnostics } = entry
  const why = diagnostics[0]?.message ?? 'unreadable'
  const what = `The export is damaged at byte ${byte_offset}: ${why}`
  return new SessionError('ERR_DAMAGED', what, { byte_offset })
}
