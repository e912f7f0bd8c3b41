// Starts the agent that a person resumes a session with, and gives it what the model sees.

import { join } from 'node:path'
import { toMarkdown } from '../../interchange/index.js'
import { writeAtomicFile } from '../../log/index.js'
import type { ResumedSession } from '../../session/index.js'
import { isUnreadable, readSessionInfo } from '../../store/index.js'
import type { Call, RunProgram } from '../command.js'
import { toCamelCase } from '../output/print.js'

export interface LaunchRequest {
  readonly call: Call
  readonly resumed: ResumedSession
  /** What `resume --json` prints. */
  readonly answer: object
  /** Its words; `{file}` and `{id}` are replaced. */
  readonly command: readonly string[]
  readonly format: 'markdown' | 'json'
  readonly byStdin: boolean
}

/** Returns the exit code of the program. */
export async function launch(request: LaunchRequest, runProgram: RunProgram): Promise<number> {
  const { call, resumed, command, format, byStdin } = request
  const content = await contentOf(request)
  const variables = {
    JSONL_SESSION_ROOT: call.store.layout.root,
    JSONL_SESSION_HOME: call.store.layout.home,
    JSONL_SESSION_ID: resumed.sessionId,
    JSONL_SESSION_PARENT_ID: resumed.resumedFrom.sessionId,
    JSONL_SESSION_TRANSCRIPT: resumed.transcriptPath,
    JSONL_SESSION_CONTEXT_FORMAT: format,
  }
  const run = (file: string | undefined) => {
    const [program, ...args] = command.map((word) =>
      word.replaceAll('{id}', resumed.sessionId).replaceAll('{file}', file ?? ''),
    )
    const env = { ...call.io.env, ...variables, JSONL_SESSION_CONTEXT: file }
    return runProgram(program!, args, { env, input: byStdin ? content : undefined, io: call.io })
  }
  if (byStdin) return run(undefined)
  const extension = format === 'json' ? 'json' : 'md'
  return withPrivateFile(call, { name: `context.${extension}`, content }, run)
}

async function contentOf({ call, resumed, answer, format }: LaunchRequest): Promise<string> {
  if (format === 'json') return `${JSON.stringify(toCamelCase(answer))}\n`
  const info = readSessionInfo(call.store, resumed.resumedFrom.transcriptPath)
  const about = isUnreadable(info) ? undefined : info
  const facts = {
    sessionId: resumed.sessionId,
    view: 'projection',
    redacted: false,
    title: about?.title ?? null,
    project: about?.project ?? null,
    harness: about?.harness ?? null,
    status: null,
    startedAt: about?.startedAt ?? null,
    lastActivity: about?.lastActivity ?? null,
    resumedFrom: resumed.resumedFrom.sessionId,
    hasAncestors: false,
    forkedFrom: null,
    at: null,
  } as const
  let page = ''
  for await (const piece of toMarkdown(itemsOf(resumed), facts)) page += piece
  return page
}

async function* itemsOf({ messages }: ResumedSession) {
  for (const event of messages) yield { kind: 'event' as const, event }
}

/** In a folder that only this user may enter; both are removed afterwards. */
async function withPrivateFile(
  { env }: Call,
  { name, content }: { readonly name: string; readonly content: string },
  work: (path: string) => Promise<number>,
): Promise<number> {
  const folder = join(env.host.tmpdir(), `jsonl-session-${env.newUuid()}`)
  try {
    const path = join(folder, name)
    await writeAtomicFile(path, [content], env, { makeFolder: true })
    return await work(path)
  } finally {
    env.fs.rmSync(folder, { recursive: true, force: true })
  }
}
