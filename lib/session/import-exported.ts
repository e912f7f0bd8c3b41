// Our own export becomes a session again: the same events with the same uuids, in the same order, so
// that the model sees the same. Nothing that is there is changed; what is written appears whole.

import { fieldsOf } from '../chain/index.js'
import { SessionError } from '../errors.js'
import {
  isHeaderType,
  isOnChain,
  LineEncoder,
  normalizeSessionKey,
  type SessionEvent,
} from '../format/index.js'
import { NativeImporter } from '../importers/index.js'
import { copyLog, isBeginningOf, type LogEntry, readLog, WholeFile } from '../log/index.js'
import { type Layout, layoutOf, placeSidechain, type StoreOptions } from '../store/index.js'
import { forkHeaderLine } from './fork-header.js'
import { headerPayload, inheritedFacts } from './header.js'
import { environmentOf, type SessionOptions } from './settings.js'

export interface ImportExportedOptions extends StoreOptions {
  /**
   * Import it as a session of this id, beside one of the old id. It begins with a header of its
   * own that names the old session, as a fork does.
   *
   * @default the id it had
   */
  newId?: string | undefined
  environment?: SessionOptions['environment']
}

export interface ImportedExport {
  readonly session_id: string
  readonly transcript_path: string
  /** Of all its logs. */
  readonly events: number
  readonly sidechains: number
  /** Ranges that were unreadable when it was exported. */
  readonly damaged: number
  /** All of it was there already, so nothing was written. */
  readonly isDuplicate: boolean
}

/**
 * From the file of an export, or from its lines as `readLog` yields them. ERR_EXISTS when a session
 * of that id is there and is another one; ERR_DAMAGED when the export is not all there.
 */
export async function importExported(
  source: string | AsyncIterable<LogEntry>,
  options: ImportExportedOptions = {},
): Promise<ImportedExport> {
  const importing = new Importing(options)
  try {
    const importer = new NativeImporter()
    for await (const entry of typeof source === 'string' ? readLog(source) : source) {
      if (entry.kind !== 'event') throw damagedError(entry)
      const step = importer.take(entry.event)
      if (step.kind === 'log') importing.begin(step.channel, step.name)
      else if (step.kind === 'event') importing.take(step.event)
      else if (step.kind === 'damage') importing.passOver(step.length)
    }
    importer.finish()
    return importing.finish()
  } finally {
    importing.abandon()
  }
}

const HELD_BYTES_MAX = 1024 * 1024

class Importing {
  readonly #options: ImportExportedOptions
  readonly #layout: Layout
  readonly #encoder = new LineEncoder()
  readonly #logs: NewLog[] = []
  #events = 0
  #damaged = 0
  #sessionId = ''

  constructor(options: ImportExportedOptions) {
    this.#options = options
    this.#layout = layoutOf(options)
  }

  begin(channel: NewLog['channel'], name: string): void {
    this.#flush()
    const key = normalizeSessionKey(name, channel === 'transcript' ? 'A session id' : 'A task id')
    if (channel === 'transcript') this.#sessionId = key
    this.#logs.push({
      channel,
      name: key,
      tip: null,
      header: undefined,
      file: undefined,
      path: undefined,
    })
  }

  take(event: SessionEvent): void {
    const log = this.#logs.at(-1)!
    const told = this.#asOfNewSession(log, event)
    log.file ??= this.#open(log, told)
    this.#events++
    if (isOnChain(told)) log.tip = told.uuid
    const { crc: _, ...fields } = told as SessionEvent & { crc?: unknown }
    this.#encoder.addBare(JSON.stringify(fields))
    if (this.#encoder.byteLength > HELD_BYTES_MAX) this.#flush()
  }

  /** A blank line as long as what was lost, so that the offsets in later boundaries stay true. */
  passOver(length: number): void {
    this.#damaged++
    const file = this.#logs.at(-1)?.file
    if (file === undefined || length === 0) return
    this.#flush()
    file.write(Buffer.from(`${' '.repeat(length)}\n`))
  }

  finish(): ImportedExport {
    this.#flush()
    const [transcript, ...children] = this.#logs
    if (transcript?.file === undefined) {
      throw new SessionError('ERR_DAMAGED', 'The export holds no transcript')
    }
    for (const { file } of this.#logs) file?.seal()
    // Looked at before anything appears: of a session that is refused, no subagent is left behind.
    const missing = [...children, transcript].filter((log) => !this.#isThere(log))
    // The transcript last: whoever finds it finds its subagents, too.
    for (const log of missing) this.#publish(log)
    return {
      session_id: this.#id,
      transcript_path: this.#layout.transcriptPath(this.#id),
      events: this.#events,
      sidechains: children.length,
      damaged: this.#damaged,
      isDuplicate: missing.length === 0,
    }
  }

  abandon(): void {
    for (const { file } of this.#logs) file?.abandon()
  }

  get #id(): string {
    const { newId } = this.#options
    return newId === undefined ? this.#sessionId : normalizeSessionKey(newId)
  }

  #open(log: NewLog, first: SessionEvent): WholeFile {
    const { path, isTaken } = this.#placeOf(log, first)
    log.path = path
    if (isHeaderType(first.type)) log.header = first.payload
    // What is there is compared, not replaced; the name is only given where it is free.
    return new WholeFile(path, { makeFolder: true, mayExist: isTaken })
  }

  #placeOf({ channel, name }: NewLog, first: SessionEvent): { path: string; isTaken: boolean } {
    if (channel === 'transcript') {
      return { path: this.#layout.transcriptPath(this.#id), isTaken: true }
    }
    const { parent_session_id } = fieldsOf(first.payload)
    const parent = typeof parent_session_id === 'string' ? parent_session_id : this.#id
    return placeSidechain(name, parent, this.#layout)
  }

  /** The children of the old session name it; those of the new one name that. */
  #asOfNewSession(log: NewLog, event: SessionEvent): SessionEvent {
    const { newId } = this.#options
    if (newId === undefined || log.channel === 'transcript' || !isHeaderType(event.type)) {
      return event
    }
    return { ...event, payload: { ...(event.payload as object), parent_session_id: this.#id } }
  }

  /** Whether the store has all of it, perhaps continued since. */
  #isThere({ file, path, channel, name }: NewLog): boolean {
    if (file === undefined) return true
    if (!file.isNameTaken) return false
    const isCopy = this.#options.newId !== undefined && channel === 'transcript'
    if (!isCopy && isBeginningOf(file.temporary, path!)) return true
    const what = `A ${channel} "${name}" is there already, and is not the one of the export`
    throw new SessionError('ERR_EXISTS', what, { path, name })
  }

  #publish({ file, path, channel, tip, header }: NewLog): void {
    if (channel === 'sidechain' || this.#options.newId === undefined) {
      file!.finish()
      return
    }
    const environment = environmentOf(this.#options)
    const ts = new Date(environment.now()).toISOString()
    const forked_from = { session_id: this.#sessionId, at_uuid: tip ?? this.#sessionId }
    const { kind: _, ...inherited } = inheritedFacts(header)
    const facts = { ...inherited, agentId: this.#options.agent, capture: 'import' as const }
    const opening = forkHeaderLine(environment.newUuid(), ts, (base) =>
      headerPayload(this.#id, ts, facts, { forked_from: { ...forked_from, base } }),
    )
    const { temporary } = file!
    copyLog({ from: temporary, to: path!, opening, end: file!.size, later: [] })
  }

  #flush(): void {
    if (this.#encoder.byteLength > 0) {
      this.#logs.at(-1)!.file!.write(this.#encoder.bytes({ isolate: false }))
    }
    this.#encoder.reset()
  }
}

interface NewLog {
  readonly channel: 'transcript' | 'sidechain'
  readonly name: string
  tip: string | null
  /** What its first event says. */
  header: unknown
  file: WholeFile | undefined
  path: string | undefined
}

function damagedError({
  byte_offset,
  diagnostics,
}: Exclude<LogEntry, { kind: 'event' }>): SessionError {
  const [first] = diagnostics
  const what = `The export is damaged at byte ${byte_offset}: ${first?.message ?? 'unreadable'}`
  return new SessionError('ERR_DAMAGED', what, { byte_offset })
}
