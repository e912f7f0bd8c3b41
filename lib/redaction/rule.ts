// What a rule is, and what stands where a secret was.

/** Every rule writes it, and none of them ever changes it: what was redacted once stays so. */
export const REDACTED = '[REDACTED]'

export interface Rule {
  readonly name: string
  /** The text without the secrets that this rule knows. */
  readonly redact: (text: string) => string
  /** The same for a string that stands in JSON under a name: there the name is no part of it. */
  readonly redactMember?: (name: string, text: string) => string
}

/** Every match of a pattern is replaced, by the marker or by what keeps the name before it. */
export function patternRule(name: string, pattern: RegExp, replacement = REDACTED): Rule {
  return { name, redact: (text) => text.replace(pattern, replacement) }
}
