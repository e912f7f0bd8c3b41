// Exports a session, or what the model sees of it, as lines, Markdown or text.

import { resolve } from 'node:path'
import { messagesOf, toolPolicyOf } from '../../chain/index.js'
import { SessionError } from '../../errors.js'
import { diagnostic, escapeSeparators } from '../../format/index.js'
import {
  type ExportFacts,
  type ExportItem,
  itemsWithinDepth,
  redactFacts,
  redactItems,
  toLines,
  toMarkdown,
  toText,
} from '../../interchange/index.js'
import { defaultRedactor, type RedactionProblem, Redactor } from '../../redaction/index.js'
import {
  isUnreadable,
  listChapters,
  loadSession,
  readSessionInfo,
  rejectUnreadable,
  type SessionInfo,
  type StoreContext,
} from '../../store/index.js'
import { redactionMessage } from '../settings.js'
import { transcriptOf } from '../storage.js'
import { historyItems } from './export-history.js'

export type ExportFormat = 'jsonl' | 'markdown' | 'text'

/** What to export, and how. */
export interface ExportOptions {
  /**
   * The format of the text.
   *
   * @default 'jsonl'
   */
  format?: ExportFormat | undefined

  /**
   * Only what the model sees, without subagents. Such an export cannot be imported.
   *
   * @default false
   */
  projected?: boolean | undefined

  /**
   * Writes `[REDACTED]` in place of secrets, by the default rules or those of a redactor.
   *
   * @default false
   */
  redact?: boolean | Redactor | undefined

  /**
   * With the logs of its subagents.
   *
   * @default true
   */
  children?: boolean | undefined

  /**
   * The last event to export.
   *
   * @default the end of the session
   */
  at?: string | undefined

  /**
   * Aborts the call.
   *
   * @default none
   */
  signal?: AbortSignal | undefined
}

/**
 * Exports a session with the sessions that it continues, or any log by its path. `jsonl` holds every
 * event of their files, up to the event that was continued; Markdown and text show the conversation
 * as it happened, without branches that were left. Yields pieces of the text as the log is read.
 */
export async function* exportSession(
  store: StoreContext,
  session: string | { readonly path: string },
  options: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { format = 'jsonl' } = options
  const { items, facts, redact } = prepare(store, session, options)
  if (format === 'jsonl') yield* toJsonLines(toLines(items, facts))
  else if (format === 'markdown') yield* toMarkdown(items, facts, { redact })
  else if (format === 'text') yield* toText(items, facts, { redact })
  else {
    throw new SessionError('ERR_ARG', `format must be jsonl, markdown or text, not "${format}"`)
  }
}

/** The lines of an export as objects, for a stream. */
export async function* exportRecords(
  store: StoreContext,
  session: string | { readonly path: string },
  options: Omit<ExportOptions, 'format'> = {},
): AsyncGenerator<object, void, undefined> {
  const { items, facts } = prepare(store, session, options)
  yield* toLines(items, facts)
}

function prepare(
  store: StoreContext,
  session: string | { readonly path: string },
  options: ExportOptions,
) {
  const path = resolve(typeof session === 'string' ? transcriptOf(store, session) : session.path)
  const digest = readSessionInfo(store, path)
  if (isUnreadable(digest)) rejectUnreadable(store, digest)
  const redactor = toRedactor(options.redact)
  const onProblem = ({ rule, reason }: RedactionProblem) =>
    store.report(diagnostic('redaction_failed', redactionMessage(rule, reason)))
  const { projected = false } = options
  const ancestors = projected ? [] : listChapters(store, path).slice(0, -1)
  const items = itemsWithinDepth(
    projected
      ? projectedItems(store, path, options.at)
      : historyItems(store, digest, { ...options, ancestors }),
  )
  const hasAncestors = ancestors.length > 0
  const facts = { ...toFacts(digest, options, redactor !== undefined), hasAncestors }
  if (redactor === undefined) return { items, facts, redact: undefined }
  return {
    items: redactItems(items, redactor, { onProblem }),
    facts: redactFacts(facts, redactor),
    redact: (text: string) => redactor.text(text, { onProblem }),
  }
}

function toRedactor(redact: ExportOptions['redact'] = false): Redactor | undefined {
  if (redact === false) return undefined
  if (redact === true) return defaultRedactor
  if (redact instanceof Redactor) return redact
  throw new TypeError('redact must be true, false, or what createRedactor returns')
}

function toFacts(
  digest: SessionInfo,
  { projected = false, at }: ExportOptions,
  redacted: boolean,
): Omit<ExportFacts, 'hasAncestors'> {
  const { project, harness, status, startedAt, lastActivity } = digest
  return {
    sessionId: digest.sessionId,
    view: projected ? 'projection' : 'history',
    redacted,
    // A title cut from a prompt may hold half of a secret, which no rule recognises.
    title: redacted && digest.titleSource === 'prompt' ? null : digest.title,
    project,
    harness,
    status,
    startedAt,
    lastActivity,
    resumedFrom: digest.resumedFrom?.sessionId ?? null,
    forkedFrom: digest.forkedFrom?.sessionId ?? null,
    at: at ?? null,
  }
}

/** The messages as a model is given them, repaired where a provider would reject them. */
async function* projectedItems(
  store: StoreContext,
  path: string,
  at: string | undefined,
): AsyncGenerator<ExportItem, void, undefined> {
  // An earlier view shows the summaries of that time.
  const revisions = at === undefined ? 'newest' : 'then'
  const { log, header, diagnostics } = loadSession(store, path, { at, revisions })
  const seen = messagesOf(log.projection, { toolPolicy: toolPolicyOf(header) })
  for (const found of [...diagnostics, ...seen.diagnostics]) store.report(found)
  for (const { type, ts, uuid, payload, synthetic } of seen.messages) {
    const event = { type, ts, uuid, payload }
    yield { kind: 'event', event: synthetic === undefined ? event : { ...event, synthetic } }
  }
}

/** Objects as lines, spelled as in our logs: without characters that other tools treat as the end of a line. */
async function* toJsonLines(
  objects: AsyncIterable<object>,
): AsyncGenerator<string, void, undefined> {
  for await (const object of objects) yield `${escapeSeparators(JSON.stringify(object))}\n`
}
