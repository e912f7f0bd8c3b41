// Entry point of the module that finds and replaces secrets. Pure: no files, no clock.

export { DEFAULT_RULES } from './default-rules.js'
export { redactEvent } from './redact-event.js'
export { type RedactPayloadOptions, redactPayload } from './redact-payload.js'
export {
  type CustomRule,
  createRedactor,
  defaultRedactor,
  type RedactionProblem,
  Redactor,
  type RedactorOptions,
  type RedactTextOptions,
  type RedactValueOptions,
  redactText,
  redactValue,
} from './redactor.js'
export { REDACTED } from './rule.js'
