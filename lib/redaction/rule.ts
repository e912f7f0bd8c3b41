// The type of a rule, and the marker that replaces a secret.

/** Every rule writes it and no rule changes it. */
export const REDACTED = '[REDACTED]'

export interface Rule {
  readonly name: string
  /** The text without the secrets that this rule knows. */
  readonly redact: (text: string) => string
  /** The same for a string that is the value of a member in JSON. */
  readonly redactMember?: (name: string, text: string) => string
}

/** Replaces every match, by the marker or by a replacement that keeps the name before it. */
export function patternRule(name: string, pattern: RegExp, replacement = REDACTED): Rule {
  return { name, redact: (text) => text.replace(pattern, replacement) }
}
