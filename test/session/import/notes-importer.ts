// A format of our own for tests of what all importers share: notes with parents, in one file or
// several, where a parent may be written after its child.

import { Emitter } from '../../../lib/interchange/import/emitter.js'
import { toTime } from '../../../lib/interchange/import/fields.js'
import {
  DamagedParents,
  type ForeignRecord,
  type ForeignValue,
  HEADER_UUID,
  type ImportContext,
  type Importer,
  type ImportRun,
  LateParents,
  type RecalledEvent,
  type RecordPlace,
  type SourceFacts,
  type SourceFile,
  type SurveyedRecord,
} from '../../../lib/interchange/index.js'

export const notes: Importer = {
  format: 'notes',
  harness: 'Notes',
  folder: { home: ['.notes'], inside: ['notes'], depth: 1, isTranscript: () => true },
  siblings: {
    where: 'program',
    isNamed: (name, sessionId) => name.startsWith(sessionId),
  },
  detects: ([head]) => head?.['note'] === 'head',
  isRecord: ({ note }) => typeof note === 'string',
  describe: (first) => describe(first),
  start: (context) => new NotesRun(context),
}

function describe([head = {}]: readonly ForeignValue[]): SourceFacts {
  const base = head['base'] as { session: string; offset: number } | undefined
  return {
    sessionId: String(head['session']),
    startTs: toTime(head['started']),
    cwd: undefined,
    fileId: String(head['session']),
    continues: base && { fileId: base.session, byteOffset: base.offset },
  }
}

class NotesRun implements ImportRun {
  readonly #emitter: Emitter
  readonly #late: LateParents
  readonly #damaged = new DamagedParents<string>()
  readonly #surveyed = new Set<string>()
  readonly #added = new Map<string, string>()
  /** Where events are in the files: to find the one at which another file was left. */
  readonly #positions: { offset: number; uuid: string }[] = []
  #tip = HEADER_UUID

  constructor(context: ImportContext) {
    this.#emitter = new Emitter('notes', context)
    this.#late = new LateParents(context.reread)
  }

  survey({ value }: SurveyedRecord): void {
    this.#surveyed.add(String(value['id']))
  }

  open({ facts: { continues } }: SourceFile): void {
    if (continues === undefined) return
    const { byteOffset = Number.POSITIVE_INFINITY } = continues
    this.#tip = this.#positions.findLast(({ offset }) => offset < byteOffset)?.uuid ?? this.#tip
  }

  recall({ uuid, payload }: RecalledEvent): void {
    const { offset } = payload['imported_from'] as { offset: number }
    this.#positions.push({ offset, uuid })
    this.#added.set(uuid, uuid)
    this.#tip = uuid
  }

  damage(_line: RecordPlace): void {
    this.#damaged.addDamage(this.#tip)
  }

  add(record: ForeignRecord): void {
    const { id, parent, note } = record.value
    this.#emitter.begin(record, undefined)
    if (note === 'head') {
      this.#emitter.keep('head')
      return
    }
    if (note !== 'text') {
      this.#emitter.leaveUninterpreted(String(note))
      this.#emitter.keep(String(note))
      return
    }
    if (typeof parent === 'string' && !this.#added.has(parent) && this.#surveyed.has(parent)) {
      this.#late.hold(parent, record)
      return
    }
    this.#emit(record)
    for (const child of this.#late.take(String(id))) this.add(child)
  }

  #emit(record: ForeignRecord): void {
    const { id, parent, text } = record.value
    const uuid = this.#emitter.uuidOf(id)
    const prev = this.#findPlace(parent)
    this.#emitter.emit({ type: 'user', uuid, prev, payload: { content: String(text) } })
    this.#added.set(String(id), uuid)
    this.#positions.push({ offset: record.byteOffset, uuid })
    this.#tip = uuid
  }

  #findPlace(parent: unknown): string {
    if (typeof parent !== 'string') return this.#tip
    const known = this.#added.get(parent)
    if (known !== undefined) return known
    const place = this.#damaged.find(parent)
    this.#emitter.repair(place === undefined ? 'parent_missing' : 'parent_damaged')
    return place ?? HEADER_UUID
  }
}
