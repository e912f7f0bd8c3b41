// The calls of connectors: programs that pass on what a harness reports, and read the answer as one
// JSON object. A harness that knows only hooks has other names for what it reports.

import { recall } from '../continuity/index.js'
import {
  announceCompaction,
  completeCompaction,
  extractFor,
  rememberFor,
} from '../session/record.js'
import { findPromptId, findText, type HookContext, type HookHandler } from './read-input.js'

/** By the name of the call, without hyphens. */
export const CALLS: ReadonlyMap<string, HookHandler> = new Map<string, HookHandler>([
  ['remember', onRemember],
  ['recall', onRecall],
  ['precompaction', onPreCompaction],
  ['compactioncomplete', onCompactionComplete],
  ['sessioncheckpointextract', onExtract],
])

async function onRemember(context: HookContext) {
  const { fields, store, options } = context
  const content = findText(fields, 'content', 'text') ?? ''
  const body = await rememberFor(store, { ...requestOf(context), content }, options)
  return { inject: '', status: body.status, body }
}

async function onRecall({ fields, store }: HookContext) {
  const { limit } = fields
  const body = recall(store, {
    query: findText(fields, 'query') ?? '',
    keywordQuery: findText(fields, 'keywordQuery'),
    project: findText(fields, 'project'),
    limit: typeof limit === 'number' ? limit : undefined,
    type: findText(fields, 'type'),
    tags: findText(fields, 'tags'),
    who: findText(fields, 'who'),
    since: findText(fields, 'since'),
    until: findText(fields, 'until'),
  })
  return { inject: '', body }
}

async function onPreCompaction(context: HookContext) {
  const { fields, store, options } = context
  const request = {
    ...requestOf(context),
    sessionContext: findText(fields, 'sessionContext', 'session_context'),
    instructions: findText(fields, 'customInstructions', 'custom_instructions'),
  }
  return { inject: '', body: await announceCompaction(store, request, options) }
}

async function onCompactionComplete(context: HookContext) {
  const { fields, store, options } = context
  const request = {
    ...requestOf(context),
    summary: findText(fields, 'summary', 'compact_summary', 'compactSummary') ?? '',
    trigger: findText(fields, 'trigger'),
    promptId: findPromptId(fields),
  }
  const body = await completeCompaction(store, request, options)
  return { inject: '', status: body.status, body }
}

/** What the connector has read need not be read again, so the piece is committed then. */
async function onExtract(context: HookContext) {
  const { fields, store, options } = context
  const request = {
    ...requestOf(context),
    transcript: findText(fields, 'transcript'),
    transcriptPath: findText(fields, 'transcriptPath', 'transcript_path'),
  }
  const piece = await extractFor(store, request, options)
  if ('skipped' in piece) return { inject: '', body: piece }
  const { commit, ...body } = piece
  return { inject: '', body, commit }
}

function requestOf({ sessionId: sessionKey, runtimePath, options }: HookContext) {
  return { harness: options.facts?.harness ?? '', sessionKey, runtimePath }
}
