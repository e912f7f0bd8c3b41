// Redacting without a redactor of one's own.

import { Redactor, type RedactTextOptions, type RedactValueOptions } from './redactor.js'

/** The rules that are always there, and nothing else. */
export const defaultRedactor = new Redactor()

/** The text, with `[REDACTED]` where a secret was. */
export function redactText(text: string, options?: RedactTextOptions): string {
  return defaultRedactor.text(text, options)
}

/** JSON, with `[REDACTED]` where a secret was; the same object if there was none. */
export function redactValue<Value>(value: Value, options?: RedactValueOptions): Value {
  return defaultRedactor.value(value, options)
}
