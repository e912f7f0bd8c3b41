// The door of the room that knows what secrets look like. Pure: no files, no clock.

export type { CustomRule } from './custom-rule.js'
export { DEFAULT_RULES } from './default-rules.js'
export { defaultRedactor, redactText, redactValue } from './redact.js'
export { type RedactPayloadOptions, redactPayload } from './redact-payload.js'
export {
  createRedactor,
  type RedactionProblem,
  Redactor,
  type RedactorOptions,
  type RedactTextOptions,
  type RedactValueOptions,
} from './redactor.js'
export { REDACTED } from './rule.js'
