// Redaction on the way to the disk, for those who ask for it: the log is faithful by default.

import { diagnostic } from '../format/index.js'
import type { LogOptions, NewEvent, PayloadRedaction } from '../log/index.js'
import {
  defaultRedactor,
  REDACTED,
  type RedactionProblem,
  Redactor,
  redactPayload,
} from '../redaction/index.js'

export interface RedactionOptions {
  /**
   * Write `[REDACTED]` where a secret was: into the file, and so into all that is read from it,
   * also by this session. What a provider has signed stays as it is. `true` takes the rules that
   * are always there; a redactor brings its own.
   *
   * @default false
   */
  redactOnWrite?: boolean | Redactor | undefined
}

/** What a log does with every payload; `undefined` for one that stays faithful. */
export function redactionOf({
  onDiagnostic,
  ...options
}: RedactionOptions & Pick<LogOptions, 'onDiagnostic'>): PayloadRedaction | undefined {
  // Somebody else's code runs only after the step is done.
  const onProblem = ({ rule, reason }: RedactionProblem) =>
    queueMicrotask(() =>
      onDiagnostic?.(diagnostic('redaction_failed', redactionMessage(rule, reason))),
    )
  return redactionBy(options, onProblem)
}

/** The same for those who are told of an event, or keep it for somebody else. */
export function asWritten(options: RedactionOptions): (event: NewEvent) => NewEvent {
  const redact = redactionBy(options)
  if (redact === undefined) return (event) => event
  return (event) => ({ ...event, payload: redact(event.payload, event) as NewEvent['payload'] })
}

function redactionBy(
  { redactOnWrite = false }: RedactionOptions,
  onProblem?: (problem: RedactionProblem) => void,
): PayloadRedaction | undefined {
  if (redactOnWrite === false) return undefined
  const redactor = redactOnWrite === true ? defaultRedactor : redactOnWrite
  if (!(redactor instanceof Redactor)) {
    throw new TypeError('redactOnWrite is true, false, or what createRedactor returns')
  }
  return (payload, { type, opaque }) =>
    redactPayload(type, payload, redactor, { opaque, onProblem })
}

/** What becomes of a text when a rule fails. */
export function redactionMessage(rule: string, reason: RedactionProblem['reason']): string {
  const what = {
    threw: 'threw an error',
    not_text: 'did not return a text',
    unsettled: 'never leaves its own result as it is',
  }
  return `The redaction rule "${rule}" ${what[reason]}; the text was written as ${REDACTED}`
}
