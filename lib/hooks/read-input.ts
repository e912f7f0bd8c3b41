// What a harness writes into the pipe of a hook: one JSON object, and then the end. Neither is
// certain, and a hook must not keep its harness waiting.

import { isAbsolute, join } from 'node:path'
import type { Environment, FileSystem, Timers } from '../environment/index.js'
import type { HookRecordOptions, HookSubagent } from '../session/record.js'
import type { StoreContext } from '../store/index.js'

const BYTES_MAX = 8 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024
const BLANK = 0x20
const CLOSING_BRACE = 0x7d
// A harness writes it in one go; one that does not close the pipe writes nothing more.
const PATIENCE_MS = 2000

/** The object, or why there is none. */
export type HookInput = { readonly fields: HookFields } | { readonly problem: string }

export interface InputSource {
  readonly stdin: NodeJS.ReadStream
  /**
   * Its descriptor, where it may be waited for: then it is read without a stream, which takes
   * longer to make than all the reading.
   */
  readonly stdinFd?: number | undefined
}

export async function readInput(
  { fs, timers }: Environment,
  source: InputSource,
): Promise<HookInput> {
  const text = new InputText()
  if (source.stdinFd === undefined || !readAtOnce(fs, source.stdinFd, text)) {
    const { stdin } = source
    if (stdin.isTTY === true) return { problem: 'a hook reads its event from a pipe' }
    await readStream(timers, stdin, text)
  }
  return text.input
}

/** What has come so far. Of what is too long, only that. */
class InputText {
  #chunks: Buffer[] = []
  #byteCount = 0
  #input: HookInput | undefined

  /** All of it is taken, or its writer would fail. */
  add(chunk: Buffer): void {
    this.#input = undefined
    this.#byteCount += chunk.length
    if (this.#byteCount > BYTES_MAX) this.#chunks = []
    else this.#chunks.push(chunk)
  }

  /** It ends as an object does: asked of every piece, and only then all of it is parsed. */
  get mayBeWhole(): boolean {
    return this.#chunks.at(-1)?.findLast((byte) => byte > BLANK) === CLOSING_BRACE
  }

  get input(): HookInput {
    this.#input ??= this.#parse()
    return this.#input
  }

  #parse(): HookInput {
    if (this.#byteCount > BYTES_MAX) {
      return { problem: `the input is longer than ${BYTES_MAX} bytes (8 MiB)` }
    }
    if (this.#byteCount === 0) return { problem: 'the input is empty' }
    try {
      const fields: unknown = JSON.parse(Buffer.concat(this.#chunks).toString())
      const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields)
      return isObject
        ? { fields: fields as HookFields }
        : { problem: 'the input is no JSON object' }
    } catch {
      return { problem: 'the input is not JSON' }
    }
  }
}

/**
 * Reads until the end, or until there is a whole object and no more: then an end may never come.
 * False where such a read cannot wait: at a terminal, or in a non-blocking pipe.
 */
function readAtOnce(fs: FileSystem, fd: number, text: InputText): boolean {
  try {
    if (fs.fstatSync(fd).isCharacterDevice()) return false
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      const byteCount = fs.readSync(fd, chunk, 0, CHUNK_BYTES, null)
      if (byteCount === 0) return true
      text.add(Buffer.from(chunk.subarray(0, byteCount)))
      if (text.mayBeWhole && 'fields' in text.input) return true
    }
  } catch {
    // The stream continues here and reports the problem.
    return false
  }
}

function readStream(timers: Timers, stdin: NodeJS.ReadStream, text: InputText): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      timers.clearTimeout(patience)
      resolve()
    }
    const giveUp = () => {
      stdin.destroy()
      finish()
    }
    let patience = timers.setTimeout(giveUp, PATIENCE_MS)
    stdin.on('data', (chunk: Buffer) => {
      timers.clearTimeout(patience)
      patience = timers.setTimeout(giveUp, PATIENCE_MS)
      text.add(chunk)
    })
    stdin.on('end', finish)
    stdin.on('error', finish)
  })
}

// What a handler gets and returns, and the fields of a hook's event under the names that harnesses
// give them. Fields that are not read here are never stored, permission modes among them.

export type HookFields = Readonly<Record<string, unknown>>

export interface HookContext {
  /** The name of the event, in the spelling of Claude Code. */
  readonly name: string
  readonly fields: HookFields
  /** Normalised. */
  readonly sessionId: string
  readonly runtimePath: string | undefined
  readonly store: StoreContext
  /** The same store, with the short lock timeout of everything but the event itself. */
  readonly followUpStore: StoreContext
  readonly options: HookRecordOptions
  /** Reports a problem to the user of the harness. */
  report(text: string): void
}

/** What is to be injected, and why nothing was recorded if nothing was. */
export interface HookAnswer {
  readonly inject: string
  /** Call it if the harness did not read the text. */
  readonly withdraw?: (() => Promise<void>) | undefined
  /** What a connector reads in place of an injection. */
  readonly body?: object | undefined
  /** Call it once the connector has the body. */
  readonly commit?: (() => Promise<void>) | undefined
  readonly status?: 'written' | 'duplicate' | 'queued' | undefined
  readonly bypassed?: true
  readonly skipped?: true
  readonly duplicateRuntimePath?: true
  readonly claimedBy?: string
  readonly duplicateSessionEnd?: true
}

/** A whole answer, or what became of an event that was recorded. */
export type HookOutcome = HookAnswer | Required<Pick<HookAnswer, 'status'>>

export type HookHandler = (context: HookContext) => Promise<HookOutcome>

export const NOTHING: HookAnswer = { inject: '' }

/** The fields of a value that may be anything. */
export function toFields(value: unknown): HookFields {
  return typeof value === 'object' && value !== null ? (value as HookFields) : {}
}

/** Returns the first of these fields that is a text and not blank. */
export function findText(fields: HookFields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** Returns the first of these fields that is there. */
export function findValue(fields: HookFields, ...names: readonly string[]): unknown {
  return names.map((name) => fields[name]).find((value) => value !== undefined)
}

export function findSessionId(fields: HookFields): string | undefined {
  return findText(fields, 'session_id', 'sessionId', 'sessionKey', 'session_key')
}

export function findPrompt(fields: HookFields): string | undefined {
  return findText(fields, 'prompt', 'userMessage', 'user_message', 'user_prompt', 'userPrompt')
}

export function findPromptId(fields: HookFields): string | undefined {
  return findText(fields, 'prompt_id', 'promptId')
}

/** The subagent in which a hook fires; the session that the hook names is its parent. */
export function findSubagent({
  fields,
  sessionId,
  options,
}: HookContext): HookSubagent | undefined {
  const taskId = findText(fields, 'agent_id')
  if (taskId === undefined) return undefined
  const named = findText(fields, 'agent_transcript_path', 'agentTranscriptPath')
  // Beside the transcript of its session, in the folder of that.
  const folder = options.transcript?.path.replace(/\.jsonl$/, '')
  const beside = folder && join(folder, 'subagents', `agent-${taskId}.jsonl`)
  const transcriptPath = named !== undefined && isAbsolute(named) ? named : beside
  return { sessionId, taskId, agentType: findText(fields, 'agent_type'), transcriptPath }
}

const LAST_MESSAGE = [
  'last_assistant_message',
  'lastAssistantMessage',
  'assistant_message',
  'assistantMessage',
  'last_message',
  'lastMessage',
]

/** The last message of the model, given as a text or as the end of a list of messages. */
export function findLastMessage(fields: HookFields): string | undefined {
  const text = findText(fields, ...LAST_MESSAGE)
  const { messages } = fields
  if (text !== undefined || !Array.isArray(messages)) return text
  const last = messages.findLast(
    (message: { role?: unknown } | null) => message?.role === 'assistant',
  ) as { content?: unknown } | undefined
  return toText(last?.content)
}

function toText(content: unknown): string | undefined {
  if (typeof content === 'string') return content.trim() === '' ? undefined : content
  if (!Array.isArray(content)) return undefined
  const texts = content.flatMap((block: { text?: unknown } | null) =>
    typeof block?.text === 'string' ? block.text : [],
  )
  return texts.length === 0 ? undefined : texts.join('\n')
}
