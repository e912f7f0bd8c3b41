// A session for others: its events, or what the model sees of them, as lines, as a page or as text.

import { resolve } from 'node:path'
import { messagesOf, toolPolicyOf } from '../chain/index.js'
import { SessionError } from '../errors.js'
import {
  type ExportFacts,
  type ExportItem,
  type ExportItems,
  itemsWithinDepth,
  redactFacts,
  redactItems,
  toLines,
  toMarkdown,
  toText,
} from '../exporters/index.js'
import { type Diagnostic, diagnostic } from '../format/index.js'
import { defaultRedactor, type RedactionProblem, Redactor } from '../redaction/index.js'
import {
  digestTranscript,
  isSkipped,
  layoutOf,
  loadSession,
  refuseSkipped,
  type SessionDigest,
  type StoreOptions,
} from '../store/index.js'
import { historyItems } from './export-history.js'
import { ndjsonTexts } from './ndjson-texts.js'
import { redactionMessage } from './redaction.js'
import { transcriptOf } from './storage.js'

export type ExportFormat = 'jsonl' | 'markdown' | 'text'

export interface ExportOptions extends StoreOptions {
  /** @default 'jsonl' */
  format?: ExportFormat | undefined

  /**
   * Only what the model sees, without subagents. Such an export cannot be imported.
   *
   * @default false
   */
  projected?: boolean | undefined

  /**
   * Write `[REDACTED]` where a secret was, by the rules that are always there or by those of a
   * redactor.
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

  /** Up to this event; default: all of it. */
  at?: string | undefined

  signal?: AbortSignal | undefined

  /** Is told of damage that is passed over, and of rules of redaction that fail. */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
}

/** A session, or any log by its path. The text comes in pieces, as it is read. */
export async function* exportSession(
  session: string | { readonly path: string },
  options: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { format = 'jsonl', onDiagnostic } = options
  const path = resolve(typeof session === 'string' ? transcriptOf(session, options) : session.path)
  const digest = digestTranscript(path)
  if (isSkipped(digest)) refuseSkipped(digest)
  const redactor = redactorOf(options)
  const { projected } = options
  let items: ExportItems = itemsWithinDepth(
    projected === true ? projectedItems(path, options) : historyItems(digest, options),
  )
  let facts = factsOf(digest, { ...options, isRedacted: redactor !== undefined })
  const onProblem = ({ rule, reason }: RedactionProblem) =>
    onDiagnostic?.(diagnostic('redaction_failed', redactionMessage(rule, reason)))
  if (redactor !== undefined) {
    items = redactItems(items, redactor, { onProblem })
    facts = redactFacts(facts, redactor)
  }
  const redact = redactor && ((text: string) => redactor.text(text, { onProblem }))
  if (format === 'jsonl') yield* ndjsonTexts(toLines(items, facts))
  else if (format === 'markdown') yield* toMarkdown(items, facts, { redact })
  else if (format === 'text') yield* toText(items, facts, { redact })
  else {
    throw new SessionError('ERR_ARG', `An export is jsonl, markdown or text, not "${format}"`)
  }
}

function redactorOf({ redact = false }: ExportOptions): Redactor | undefined {
  if (redact === false) return undefined
  if (redact === true) return defaultRedactor
  if (redact instanceof Redactor) return redact
  throw new TypeError('redact is true, false, or what createRedactor returns')
}

function factsOf(
  digest: SessionDigest,
  { projected, at, isRedacted }: ExportOptions & { isRedacted: boolean },
): ExportFacts {
  const { session_id, project, harness, status, startedAt, lastActivity } = digest
  // The first words of the user were cut somewhere; half a secret is none that a rule would know.
  const title = isRedacted && digest.titleSource === 'prompt' ? null : digest.title
  return {
    session_id,
    view: projected === true ? 'projection' : 'history',
    isRedacted,
    title,
    project,
    harness,
    status,
    startedAt,
    lastActivity,
    resumedFrom: digest.resumedFrom?.session_id ?? null,
    forkedFrom: digest.forkedFrom?.session_id ?? null,
    at: at ?? null,
  }
}

/** The messages as a model is given them, mended where a provider would refuse them. */
async function* projectedItems(
  path: string,
  options: ExportOptions,
): AsyncGenerator<ExportItem, void, undefined> {
  const { at, onDiagnostic } = options
  // Who asks what was seen then does not want a summary that was written since.
  const revisions = at === undefined ? 'newest' : 'then'
  const layout = layoutOf(options)
  const { log, header, diagnostics } = loadSession(path, { layout, at, revisions })
  const seen = messagesOf(log.projection, { toolPolicy: toolPolicyOf(header) })
  for (const told of [...diagnostics, ...seen.diagnostics]) onDiagnostic?.(told)
  for (const { type, ts, uuid, payload, synthetic } of seen.messages) {
    const event = { type, ts, uuid, payload }
    yield { kind: 'event', event: synthetic === undefined ? event : { ...event, synthetic } }
  }
}
