// The calls of connectors: programs that pass on what a harness reports, and read the answer as one
// JSON object. A harness that knows only hooks has other names for what it reports.

import {
  announceCompaction,
  completeCompaction,
  extractFor,
  type RecallResponse,
  recallFor,
  rememberFor,
} from '../session/record.js'
import type { StoreContext } from '../store/index.js'
import {
  findPromptId,
  findText,
  type HookContext,
  type HookFields,
  type HookHandler,
} from './read-input.js'

/** The call that is answered also without a session, and also while hooks are switched off. */
export const RECALL = 'recall'

/** By the name of the call, without hyphens. */
export const CALLS: ReadonlyMap<string, HookHandler> = new Map<string, HookHandler>([
  ['remember', onRemember],
  [RECALL, onRecall],
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

async function onRecall(context: HookContext) {
  const { fields, store, options } = context
  const request = { ...requestOf(context), ...recallFields(fields) }
  return { inject: '', body: await recallFor(store, request, options) }
}

/** `isInternal`: hooks are switched off, so the answer has the usual shape and no memory. */
export function answerWithoutSession(
  store: StoreContext,
  fields: HookFields,
  isInternal: boolean,
): Promise<RecallResponse> {
  const harness = findText(fields, 'harness') ?? 'unknown'
  return recallFor(store, { harness, ...recallFields(fields), isInternal })
}

function recallFields(fields: HookFields) {
  const { limit, includeRecalled } = fields
  return {
    query: findText(fields, 'query') ?? '',
    keywordQuery: findText(fields, 'keywordQuery'),
    project: findText(fields, 'project'),
    limit: typeof limit === 'number' ? limit : undefined,
    type: findText(fields, 'type'),
    tags: findText(fields, 'tags'),
    who: findText(fields, 'who'),
    since: findText(fields, 'since'),
    until: findText(fields, 'until'),
    includeRecalled: includeRecalled === true,
  }
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
