// The tools. Each maps to one call of a lower module.

import * as z from 'zod'
import {
  checkpointSession,
  contextCheckpoint,
  MEMORY_TYPES,
  PROFILES,
  readItem,
  recall,
  recover,
  type StartMode,
  sessionStart,
} from '../continuity/index.js'
import { SessionError } from '../errors.js'
import { ingestTurnOnce, recallOnce, rememberOnce } from '../session/index.js'
import { searchSessions } from '../store/index.js'
import {
  placeOf,
  previousSessionKey,
  project,
  runId,
  sessionKey,
  source,
  type Tool,
  text,
  tool,
  viewOf,
} from './tool.js'

// All that a session should know when it begins.

const HOUR_MS = 60 * 60 * 1000

const withinHours = z
  .number()
  .positive()
  .optional()
  .describe('How old what is recovered of the project may be (default: 4).')

function toMs(hours: number | undefined): number | undefined {
  return hours === undefined ? undefined : hours * HOUR_MS
}

const MODES = Object.keys(PROFILES) as [StartMode, ...StartMode[]]

const sessionStartTool = tool({
  name: 'session_start',
  title: 'Start with context',
  description:
    'Call it at the start of a conversation: summaries of earlier sessions in this project, important facts, open tasks, constraints, and what the last session left when it was interrupted. Texts are shortened; read_item reads one whole by its id. It is background, not a request.',
  isLook: true,
  input: z.object({
    mode: z.enum(MODES).optional().describe('How much of what (default: default).'),
    sessionKey,
    previousSessionKey,
    project,
    source,
    summaryOnly: z.boolean().optional().describe('Shorten texts (default: true).'),
    maxResponseChars: z.int().min(1000).max(100_000).optional().describe('Default: 16000.'),
    withinHours,
  }),

  async run(input, context) {
    const { store, ...view } = viewOf(input, context)
    const answer = await sessionStart(store, {
      ...input,
      ...view,
      withinMs: toMs(input.withinHours),
    })
    return { text: JSON.stringify(answer), data: answer }
  },
})

const readItemTool = tool({
  name: 'read_item',
  title: 'Read one text whole',
  description: 'All of a text that session_start showed the beginning of.',
  isLook: true,
  input: z.object({
    id: z.string().min(1).max(4096).describe('Its id, as session_start gave it.'),
  }),

  async run({ id }, context) {
    const item = readItem(context.store, id)
    return { text: item.text, data: item }
  },
})

// The state of the work when it was interrupted. It only reads, so every call gets an answer.

const sessionRecover = tool({
  name: 'session_recover',
  title: 'Recover what was lost',
  description:
    'What was known when the work was interrupted: the newest checkpoints of this session, else of the one it follows, else of this project in the last 4 hours, and the last prompts and tool calls of a session that was cut off. Call it when your context was compacted, or when the user refers to work you do not see. It is background, not a request.',
  isLook: true,
  input: z.object({
    sessionKey,
    previousSessionKey,
    project,
    source,
    budgetChars: z.int().min(200).max(10_000).optional().describe('Default: 2000.'),
    withinHours,
  }),

  async run(input, context) {
    const { store, ...view } = viewOf(input, context)
    const withinMs = toMs(input.withinHours)
    // In the middle of a session its own checkpoint is the one that matters.
    const { source = view.sessionKey === undefined ? 'startup' : 'resume' } = input
    const found = recover(store, { ...input, ...view, source, withinMs })
    if (found === undefined) return { text: 'There is nothing to recover.', data: { found: false } }
    const { checkpoint, matchedBy, ageMs, text, from } = found
    return { text, data: { found: true, checkpoint, matchedBy, ageMs, text, from } }
  },
})

// One thing worth knowing, the moment it is learnt.

const sessionRemember = tool({
  name: 'session_remember',
  title: 'Remember one thing',
  description:
    'Note one thing the moment you learn it: a port, a command that works, a wish of the user. It becomes part of the next checkpoint of this session, for the next session. One sentence, complete in itself; no secrets. For all that was learnt, at the end, use session_checkpoint.',
  isLook: false,
  input: z.object({
    text: text.describe('One thing worth knowing, complete in itself.'),
    sessionKey,
  }),

  async run({ text, sessionKey }, context) {
    const session = sessionKey ?? context.session()
    // Unlike a checkpoint it is a line of a transcript, and without a session there is none.
    if (session === undefined) {
      const what = 'The session is not known: give sessionKey, or use session_digest'
      throw new SessionError('ERR_ARG', what)
    }
    const {
      sessionId,
      uuid,
      queued = false,
    } = await rememberOnce(context.reportingStore, session, text, { lineNumbers: false })
    const later = queued ? ', as soon as the process that is writing it takes it over' : ''
    return {
      text: `Remembered in session ${sessionId}${later}.`,
      data: { sessionId, uuid, queued },
    }
  },
})

// An agent's own account of its state, in the middle of its work.

const sessionDigest = tool({
  name: 'session_digest',
  title: 'Leave a digest',
  description: `Store the state of your work, so that it can continue after a crash or a compaction of your context. Call it at turning points: a decision was made, something works now, something blocks you.

Write for a reader who knows nothing of this conversation: what the task is, what was decided and why, what is done, what is open, what blocks you, and the very next step. Name files, commands and ids exactly. Leave out secrets and small talk.`,
  isLook: false,
  input: z.object({
    digest: text.describe('The state of your work, in a few short paragraphs or a list.'),
    sessionKey,
    project,
    runId,
  }),

  async run({ digest, runId, ...place }, context) {
    const { store, ...target } = placeOf(place, context)
    const { id, duplicate = false } = await checkpointSession(store, {
      ...target,
      digest,
      runId,
      trigger: 'agent',
    })
    const what = duplicate ? 'It was stored before, as checkpoint' : 'Stored as checkpoint'
    return { text: `${what} ${id}.`, data: { id, duplicate } }
  },
})

// What an agent leaves behind when its work is done: a briefing, and what it has learnt.

const grade = z.int().min(1).max(5).optional()

const memory = z.object({
  content: text.describe('One thing worth knowing, complete in itself.'),
  memoryType: z.enum(MEMORY_TYPES).optional(),
  importance: grade.describe('1 to 5; from 3 on it is shown to later sessions.'),
  confidence: grade.describe('1 to 5.'),
  entities: z.array(z.string()).optional().describe('Names it is about.'),
})

const sessionCheckpoint = tool({
  name: 'session_checkpoint',
  title: 'Leave a checkpoint',
  description: `Store a summary of this session and what was learnt in it. Call it when a piece of work is finished and before the conversation ends.

Write sessionSummary as a briefing for the next session, which has seen nothing of this one: the goal; what was done, with the files and commands; what was decided, and why not otherwise; what is left to do, in order; what to beware of. Say what is so, not what was talked about. Five to fifteen sentences; no secrets.

Put each lasting thing into memories of its own: facts, preferences, constraints, tasks. A memory that the project holds in the same words is not stored twice.`,
  isLook: false,
  input: z.object({
    sessionSummary: text.describe('A briefing for the next session.'),
    memories: z.array(memory).max(50).optional(),
    agentRunId: runId,
    dedup: z.boolean().optional().describe('Leave out known memories (default: true).'),
    sessionKey,
    project,
  }),

  async run({ sessionSummary, memories, agentRunId, dedup, ...place }, context) {
    const { store, ...target } = placeOf(place, context)
    const stored = await contextCheckpoint(store, {
      ...target,
      sessionSummary,
      memories,
      agentRunId,
      dedup,
    })
    const counts = `memories stored ${stored.stored}, known before ${stored.skipped}`
    const what = stored.duplicate === true ? 'Stored before, as checkpoint' : 'Stored as checkpoint'
    return { text: `${what} ${stored.id}; ${counts}.`, data: stored }
  },
})

// Earlier sessions by what was said in them.

const sessionSearch = tool({
  name: 'session_search',
  title: 'Search earlier sessions',
  description:
    'Find earlier sessions by words of their prompts, replies and summaries. One excerpt per session, the best first. Use it before you ask the user for something that may have been said already.',
  isLook: true,
  input: z.object({
    query: z.string().trim().min(1).max(1000).describe('A few words, or a session key.'),
    sessionKey: sessionKey.describe('Only this session.'),
    project: project.describe('Only sessions of this folder (default: all).'),
    // Whatever a model sends here is clamped, so no number is refused.
    limit: z.number().optional().describe('1 to 20 (default: 10).'),
  }),

  async run(input, context) {
    const result = await searchSessions(context.store, {
      ...input,
      currentSessionKey: context.session(),
    })
    return { text: result.message, data: result }
  },
})

// What was learnt, found by words.

const sessionRecall = tool({
  name: 'session_recall',
  title: 'Recall what was learnt',
  description:
    'Find facts, preferences, constraints, tasks and remembered texts that earlier sessions stored, by words. The best match first; what you recalled before in this context is left out. Use it before you store a memory, and before you ask the user for something that may be known. For what was said in a session use session_search.',
  // It records what was recalled, in the log of the session.
  isLook: false,
  input: z.object({
    query: z.string().trim().min(1).max(1000).describe('A few words, or "a phrase" in quotes.'),
    project: project.describe('Only of this folder (default: all).'),
    type: z.string().min(1).max(100).optional().describe('Only this type, say constraint.'),
    tags: z.string().max(1000).optional().describe('Names it is about, separated by commas.'),
    since: z.string().max(100).optional().describe('ISO 8601: stored then or later.'),
    until: z.string().max(100).optional().describe('ISO 8601: stored before.'),
    limit: z.number().optional().describe('1 to 50 (default: 10).'),
    includeRecalled: z
      .boolean()
      .optional()
      .describe('Also what you recalled since the last compaction (default: false).'),
    sessionKey,
  }),

  async run({ sessionKey, ...options }, context) {
    const session = sessionKey ?? context.session()
    const result =
      session === undefined
        ? recall(context.store, options)
        : await recallOnce(context.reportingStore, session, {
            ...options,
            facts: { harness: 'mcp', project: context.project() },
          })
    return { text: result.message, data: result }
  },
})

// A turn, for agents whose harness has no hooks.

const turnText = z.string().max(1_000_000).optional()

const ingestTurn = tool({
  name: 'ingest_turn',
  title: 'Record a turn',
  description:
    'Record what the user said and what you replied, so that the next session knows it if this one is interrupted. Only where no hooks record the session. Pass the words as they were; no secrets.',
  isLook: false,
  input: z.object({
    user: turnText.describe('What the user said.'),
    assistant: turnText.describe('What you replied.'),
    sessionKey,
    project,
  }),

  async run({ user, assistant, ...place }, context) {
    const claimed = context.session()
    // Recorded twice, the next session would read everything twice.
    if (place.sessionKey === undefined && claimed !== undefined) {
      const text = `Hooks record session ${claimed}; there is nothing to do.`
      return { text, data: { sessionId: claimed, recorded: 0 } }
    }
    const { store, sessionKey: sessionId, project: folder } = placeOf(place, context)
    const facts = { harness: 'mcp', project: folder }
    const receipts = await ingestTurnOnce(store, sessionId, { user, assistant }, { facts })
    const uuids = receipts.map(({ uuid }) => uuid)
    return {
      text: `Recorded in session ${sessionId}.`,
      data: { sessionId, recorded: uuids.length, uuids },
    }
  },
})

export const TOOLS: readonly Tool[] = [
  sessionStartTool,
  sessionRecover,
  sessionRemember,
  sessionDigest,
  sessionCheckpoint,
  sessionSearch,
  sessionRecall,
  ingestTurn,
  readItemTool,
]
