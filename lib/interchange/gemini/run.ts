// One import of a Gemini chat: its files in order, each with a list of messages of its own. Of several
// files the client resumes the one that was updated last, so that is what the model sees at the end.

import { Emitter } from '../import/emitter.js'
import { isObject, textOf } from '../import/fields.js'
import type {
  ForeignRecord,
  ForeignValue,
  ImportContext,
  ImportRun,
  RecalledEvent,
} from '../import/importer.js'
import { MessageList, type Shared } from './message-list.js'
import { summaryOf } from './messages.js'
import { GeminiTasks } from './tasks.js'
import { Versions } from './versions.js'

const FORMAT = 'gemini'

interface ChatFile {
  readonly list: MessageList
  /** As the client wrote it; '' if it did not. */
  lastUpdated: string
}

export class GeminiRun implements ImportRun {
  readonly #emitter: Emitter
  readonly #shared: Shared
  readonly #files: ChatFile[] = []

  constructor(context: ImportContext) {
    const emitter = new Emitter(FORMAT, context)
    this.#emitter = emitter
    const tasks = new GeminiTasks(emitter, context.tasks)
    this.#shared = { emitter, versions: new Versions(), tasks, current: undefined, epoch: 0 }
  }

  open(): void {
    const list = new MessageList(this.#shared, this.#files.at(-1)?.list)
    this.#files.push({ list, lastUpdated: '' })
  }

  recall({ uuid }: RecalledEvent): void {
    this.#shared.versions.recall(uuid)
  }

  add(record: ForeignRecord): void {
    const { value } = record
    this.#emitter.begin(record, value['timestamp'] ?? value['lastUpdated'])
    if (isObject(value['$set'])) this.#set(value['$set'])
    else if ('$rewindTo' in value) this.#file.list.rewindTo(value['$rewindTo'])
    else if (isMessage(value)) this.#file.list.add(value)
    else this.#addFacts(value)
  }

  /** Resumes the file that the client would resume. */
  end(size: number): void {
    const shown = this.#files.filter(({ list }) => list.isShown)
    const newest = shown.reduce<ChatFile | undefined>(
      (best, file) => (best === undefined || file.lastUpdated > best.lastUpdated ? file : best),
      undefined,
    )
    newest?.list.activate('the file that was updated last', `resumed-${size}`)
  }

  get #file(): ChatFile {
    return this.#files.at(-1)!
  }

  /** The first line; in the oldest files it is the whole file, with the messages in it. */
  #addFacts(value: ForeignValue): void {
    const { messages, ...facts } = value
    const isWhole = Array.isArray(messages)
    this.#keep(isWhole ? facts : value)
    if (isWhole) this.#file.list.replace(this.#readList(messages))
  }

  #set(fields: ForeignValue): void {
    const { messages, ...facts } = fields
    if (!Array.isArray(messages)) {
      this.#keep(fields)
      return
    }
    const hasFacts = Object.keys(facts).length > 0
    if (hasFacts) this.#keep(facts)
    const isChange = this.#file.list.replace(this.#readList(messages))
    if (!hasFacts && !isChange) this.#emitter.drop('repeated_record')
  }

  /** Without members that have no id: the client ignores them. */
  #readList(messages: readonly unknown[]): ForeignValue[] {
    return messages.flatMap((message) => {
      if (isObject(message) && typeof message['id'] === 'string') return [message]
      this.#emitter.leaveUninterpreted('message without an id')
      return []
    })
  }

  #keep(facts: ForeignValue): void {
    this.#file.lastUpdated = textOf(facts['lastUpdated']) ?? this.#file.lastUpdated
    const title = summaryOf(facts)
    if (title !== undefined) this.#emitter.title(title, 'auto')
    const uuid = this.#shared.versions.next(this.#emitter.uuidOf())
    this.#emitter.keep('metadata', { uuid, prev: null }, facts)
  }
}

/** Of any type: the list also holds messages that the model does not see. */
function isMessage(value: ForeignValue): boolean {
  return typeof value['id'] === 'string' && typeof value['type'] === 'string'
}
