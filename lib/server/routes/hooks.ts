// The hooks of harnesses, by the names and bodies of the original API. Each is one call of
// session/harness.

import * as z from 'zod'
import { contextCheckpoint } from '../../continuity/index.js'
import {
  announceCompaction,
  completeCompaction,
  drainSpool,
  endHarnessSession,
  extractFor,
  rememberFor,
  startHarnessSession,
  submitPrompt,
} from '../../session/record.js'
import {
  findNoOp,
  hookBody,
  longText,
  noOpFlags,
  RECORD_OPTIONS,
  recordedFields,
  respectClaim,
  runtimePathOf,
  takeClaim,
  transcriptOf,
} from '../hook-call.js'
import { type Route, route } from '../route.js'
import { sessionKey } from './fields.js'

const CLAIMED = [409, 503]

/** The request without the fields that the route has resolved. */
function requestOf<Body extends { readonly agentId?: string | undefined }>(
  body: Body,
  runtimePath: string | undefined,
) {
  const { agentId: _, ...rest } = body
  return { ...rest, runtimePath }
}

const sessionStart = route({
  method: 'POST',
  path: '/api/hooks/session-start',
  scope: 'remember',
  isWrite: true,
  summary: 'A session starts: record it, and answer with what it should know',
  body: z.object({
    ...hookBody,
    harnessAgentId: z.string().max(1000).optional().describe("The harness's own id of the agent"),
    parentSessionKey: sessionKey.optional().describe('The session that started this one'),
    previousSessionKey: sessionKey.optional().describe('The session that this one follows'),
    source: z.string().max(100).optional().describe('startup, resume, compact, clear or fork'),
  }),
  response: z.object({
    ...recordedFields,
    inject: z.string().describe('For the model to read; empty where there is nothing new'),
    sources: z.array(z.string()).describe('Ids of what the text is made of'),
  }),
  failures: CLAIMED,

  async run(call) {
    const { store, body, signal } = call
    const noOp = findNoOp(call)
    const nothing = { sessionId: body.sessionKey ?? null, inject: '', sources: [] }
    if (noOp !== undefined) return { ...nothing, ...noOp }
    await takeClaim(call)
    const request = requestOf(body, runtimePathOf(call))
    const { withdraw, ...answer } = await startHarnessSession(store, request, RECORD_OPTIONS)
    // The client has gone, so the next start gets the text.
    if (signal.aborted) await withdraw?.()
    await drainSpool(store)
    const { sessionId, inject, sources } = answer
    return { sessionId, inject, sources }
  },
})

const promptSubmit = route({
  method: 'POST',
  path: '/api/hooks/user-prompt-submit',
  scope: 'remember',
  isWrite: true,
  summary: 'A prompt: record it, and before it the last reply',
  body: z.object({
    ...hookBody,
    userMessage: longText().describe('What the person typed; it wins over userPrompt'),
    userPrompt: longText(),
    lastAssistantMessage: longText(),
    promptId: z.string().max(1000).optional(),
    transcriptPath: longText().describe('Not read: prompts and replies come with the requests'),
    transcript: longText(),
  }),
  response: z.object({
    ...recordedFields,
    inject: z.literal('').describe('Always empty: there are no entities to inject'),
  }),
  failures: CLAIMED,

  async run(call) {
    const { store, body } = call
    const noOp = findNoOp(call)
    if (noOp !== undefined) return { sessionId: body.sessionKey ?? null, inject: '', ...noOp }
    await takeClaim(call)
    return submitPrompt(store, requestOf(body, runtimePathOf(call)), RECORD_OPTIONS)
  },
})

const sessionEnd = route({
  method: 'POST',
  path: '/api/hooks/session-end',
  scope: 'remember',
  isWrite: true,
  summary: 'A session ends: store its transcript, write its last checkpoint, release its claim',
  body: z.object({
    ...hookBody,
    sessionId: sessionKey.optional().describe('Another name of sessionKey'),
    reason: z.string().max(200).optional(),
    transcript: longText().describe('`User: …` and `Assistant: …` lines, or JSON lines'),
    transcriptPath: longText().describe('A file under --transcript-root; transcript wins over it'),
  }),
  response: z.object({
    ...recordedFields,
    duplicateSessionEnd: z.literal(true).optional(),
    transcriptMessages: z.number().optional().describe('Messages that were not recorded yet'),
  }),
  failures: CLAIMED,

  async run(call) {
    const { store, body, server } = call
    const { sessionKey: key = body.sessionId } = body
    const named = { ...call, body: { ...body, sessionKey: key } }
    if (findNoOp(named)?.internal) return { sessionId: key ?? null, internal: true }
    respectClaim(named)
    const { transcript: _text, transcriptPath: _path, ...rest } = body
    const request = requestOf({ ...rest, sessionKey: key }, runtimePathOf(call))
    const handed = transcriptOf(store, server, body)
    return endHarnessSession(store, { ...request, ...handed }, RECORD_OPTIONS)
  },
})

/** Where texts without a session are kept. */
function keyWithoutSession(harness: string): string {
  return `no-session:${harness}`
}

const remember = route({
  method: 'POST',
  path: '/api/hooks/remember',
  scope: 'remember',
  isWrite: true,
  summary: 'Remember one thing: a line of the session; without a session, a checkpoint',
  body: z.object({ ...hookBody, content: z.string().trim().min(1).max(100_000) }),
  response: z.object({
    ...recordedFields,
    uuid: z.string().nullable().describe('Of the line'),
    checkpointId: z.string().optional().describe('Of what was remembered without a session'),
  }),
  failures: CLAIMED,

  async run(call) {
    const { store, body } = call
    const { harness, content, project, sessionKey: key } = body
    const noOp = findNoOp(call)
    if (noOp !== undefined) return { sessionId: key ?? null, uuid: null, ...noOp }
    if (key === undefined) {
      const memories = [{ content }]
      const place = { sessionKey: keyWithoutSession(harness), harness, project }
      const stored = await contextCheckpoint(store, { ...place, sessionSummary: content, memories })
      return { sessionId: null, uuid: null, checkpointId: stored.id }
    }
    await takeClaim(call)
    return rememberFor(store, requestOf(body, runtimePathOf(call)), RECORD_OPTIONS)
  },
})

const preCompaction = route({
  method: 'POST',
  path: '/api/hooks/pre-compaction',
  scope: 'remember',
  isWrite: true,
  summary:
    'A compaction is about to begin: store a checkpoint, answer with instructions for the summary',
  body: z.object({
    ...hookBody,
    sessionContext: longText().describe('What the harness knows of the work'),
    instructions: longText().describe('What the user asked the summary to keep'),
  }),
  response: z.object({
    ...recordedFields,
    instructions: z.string().describe('For the prompt of the summarizer'),
    checkpointId: z.string().nullable(),
  }),
  failures: CLAIMED,

  async run(call) {
    const { store, body } = call
    const noOp = findNoOp(call)
    const nothing = { sessionId: body.sessionKey ?? null, instructions: '', checkpointId: null }
    if (noOp !== undefined) return { ...nothing, ...noOp }
    await takeClaim(call)
    return announceCompaction(store, requestOf(body, runtimePathOf(call)), RECORD_OPTIONS)
  },
})

const compactionComplete = route({
  method: 'POST',
  path: '/api/hooks/compaction-complete',
  scope: 'remember',
  isWrite: true,
  summary: 'A compaction has ended: record its summary',
  body: z.object({
    ...hookBody,
    summary: z.string().trim().min(1),
    trigger: z.string().max(100).optional().describe('manual or auto'),
    promptId: z.string().max(1000).optional(),
  }),
  response: z.object({
    ...recordedFields,
    success: z.boolean(),
    memoryId: z.string().nullable().describe('Of the line, or the checkpoint, with the summary'),
    contextEpoch: z.number().describe('Counts the compactions of the session'),
    summaryUuid: z.string().nullable().optional(),
    boundaryUuid: z.string().nullable().optional(),
  }),
  failures: CLAIMED,

  async run(call) {
    const { store, body } = call
    const { harness, summary, project, sessionKey: key } = body
    const noOp = findNoOp(call)
    const nothing = { sessionId: key ?? null, success: false, memoryId: null, contextEpoch: 0 }
    if (noOp !== undefined) return { ...nothing, ...noOp }
    if (key === undefined) {
      const place = { sessionKey: keyWithoutSession(harness), harness, project }
      const { id } = await contextCheckpoint(store, { ...place, sessionSummary: summary })
      return { ...nothing, success: true, memoryId: id }
    }
    await takeClaim(call)
    const request = requestOf(body, runtimePathOf(call))
    const answer = await completeCompaction(store, request, RECORD_OPTIONS)
    return { ...answer, memoryId: answer.summaryUuid }
  },
})

const checkpointExtract = route({
  method: 'POST',
  path: '/api/hooks/session-checkpoint-extract',
  scope: 'remember',
  isWrite: true,
  summary:
    'The text that was added to a session since the last call, to be summarized by the caller',
  body: z.object({
    ...hookBody,
    sessionKey,
    transcript: longText(),
    transcriptPath: longText().describe('A file under --transcript-root; transcript wins over it'),
  }),
  response: z.union([
    z.object({
      queued: z.literal(true),
      jobId: z.string(),
      sessionId: z.string(),
      text: z.string(),
      fromOffset: z.number(),
      toOffset: z.number(),
      hasMore: z.boolean(),
      oversize: z.boolean(),
    }),
    z.object({
      skipped: z.literal(true),
      reason: z.string().optional(),
      sessionId: z.string().nullable(),
      ...noOpFlags,
    }),
  ]),
  failures: CLAIMED,

  async run(call) {
    const { store, body, server, signal } = call
    const noOp = findNoOp(call)
    if (noOp !== undefined) return { skipped: true, sessionId: body.sessionKey, ...noOp }
    respectClaim(call)
    const { transcript: _text, transcriptPath: _path, ...rest } = body
    const request = requestOf(rest, runtimePathOf(call))
    const handed = transcriptOf(store, server, body)
    const piece = await extractFor(store, { ...request, ...handed }, RECORD_OPTIONS)
    if ('skipped' in piece) return piece
    const { commit, ...answer } = piece
    // A client that has gone gets the same text again.
    if (!signal.aborted) await commit()
    return answer
  },
})

export const HOOK_ROUTES: readonly Route[] = [
  sessionStart,
  promptSubmit,
  sessionEnd,
  remember,
  preCompaction,
  compactionComplete,
  checkpointExtract,
]
