// The files of a session. A turn that is taken back, and a fork, begin a new file that names the one it
// continues and the position in it. What the run must remember is what each position was.

import { countOf, fieldsOf, textOf } from '../import/fields.js'
import type { Continuation, ForeignValue } from '../import/importer.js'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** `rollout-<time>-<thread>`, with the id of the file if it is not the first of its thread. */
const NAME = new RegExp(`(${UUID})(?:_(${UUID}))?[^/\\\\]*$`, 'i')

/** The ids in the name or the path of a file: of its thread, and its own. */
export function parseFileName(name: string): { thread?: string | undefined; file?: string } {
  const [, thread, file = thread] = NAME.exec(name) ?? []
  return file === undefined ? {} : { thread, file }
}

/** What a file continues, by the record at its beginning. */
export function readContinuation(meta: ForeignValue): Continuation | undefined {
  const base = fieldsOf(meta['history_base'])
  // The field is older than files with ids of their own, therefore its name.
  const fileId = textOf(base['thread_id'])
  return fileId === undefined ? undefined : { fileId, byteOffset: countOf(base['end_byte_offset']) }
}

interface Marks {
  readonly offsets: number[]
  readonly tips: string[]
}

/** The tip of the chain at the positions that another file can continue: the ends of turns. */
export class FileMarks {
  readonly #files = new Map<string, Marks>()
  #current: Marks = { offsets: [], tips: [] }

  open(fileId: string): void {
    this.#current = { offsets: [], tips: [] }
    this.#files.set(fileId, this.#current)
  }

  /** `tip`: what all records before this offset of the current file led to. */
  add(offset: number, tip: string): void {
    const { offsets, tips } = this.#current
    // A compact index: many turns change nothing that a later file could continue.
    if (tips.at(-1) === tip) return
    offsets.push(offset)
    // A copy: a string that was put together holds the ones it was made of, hashes among them.
    tips.push(Buffer.from(tip, 'latin1').toString('latin1'))
  }

  /** The tip that a file continues; `undefined` if the other file was not read. */
  find({ fileId, byteOffset = Number.POSITIVE_INFINITY }: Continuation): string | undefined {
    const marks = this.#files.get(fileId)
    const index = marks?.offsets.findLastIndex((offset) => offset <= byteOffset) ?? -1
    return marks?.tips[index]
  }
}
