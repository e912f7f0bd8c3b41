// Rules applied to texts and to JSON. Always the same in the same order, and twice is once: what
// comes out is what the rules would leave as it is, or the marker alone.
//
// When a rule fails nobody knows what the text still holds, so nothing of it is let through.

import { SessionError } from '../errors.js'
import { type CustomRule, ruleOf } from './custom-rule.js'
import { DEFAULT_RULES } from './default-rules.js'
import { mapStrings, type Visitor } from './map-strings.js'
import { REDACTED, type Rule } from './rule.js'

export interface RedactionProblem {
  /** The rule that failed; for texts that never settle, one that would have changed it again. */
  readonly rule: string
  readonly reason: 'threw' | 'not_text' | 'unsettled'
  /** What a rule threw. It may hold the secret: look at it, do not print it. */
  readonly cause?: unknown
}

export interface RedactorOptions {
  /**
   * More rules, applied before those that are always there: whoever adds one knows better what
   * the secret looks like.
   *
   * @default []
   */
  rules?: readonly CustomRule[] | undefined

  /**
   * Go without the rules that are always there: only `rules` count, and there must be some.
   *
   * @default false
   */
  replaceDefaults?: boolean | undefined

  /** Is told of every text that became `[REDACTED]` as a whole because a rule failed. */
  onProblem?: ((problem: RedactionProblem) => void) | undefined
}

export interface RedactTextOptions {
  /** Is told as well, for this call. */
  onProblem?: ((problem: RedactionProblem) => void) | undefined
}

export interface RedactValueOptions extends RedactTextOptions {
  /**
   * Members that are left as they are, with all that is below: ids, paths, hashes, times.
   *
   * @default none
   */
  skip?: readonly string[] | ((name: string) => boolean) | undefined
}

// What one pass leaves behind another may still join to a secret. More than a few times in a row
// that is no text but an attack, or a rule that eats its own words.
const PASSES_MAX = 8

export class Redactor {
  readonly #rules: readonly Rule[]
  readonly #onProblem: (problem: RedactionProblem) => void

  constructor({ rules = [], replaceDefaults = false, onProblem = () => {} }: RedactorOptions = {}) {
    const custom = rules.map(ruleOf)
    if (replaceDefaults && custom.length === 0) {
      throw new SessionError('ERR_ARG', 'A redactor without any rule would let everything through')
    }
    this.#rules = replaceDefaults ? custom : [...custom, ...DEFAULT_RULES]
    this.#onProblem = onProblem
  }

  /** The text without secrets. Never throws because of a rule. */
  text(text: string, options: RedactTextOptions = {}): string {
    if (typeof text !== 'string') throw new TypeError('Only a string can be redacted as text')
    return this.#settled(text, (rule, current) => rule.redact(current), options)
  }

  /**
   * JSON without secrets: every string at any depth, and strings under a name that says what they
   * are. Names and structure stay, nothing is changed in place, and where nothing was found the
   * very same value is returned.
   */
  value<Value>(value: Value, { skip = [], ...options }: RedactValueOptions = {}): Value {
    const isSkipped = typeof skip === 'function' ? skip : (name: string) => skip.includes(name)
    const visitor: Visitor = {
      text: (text, name) => this.member(name, text, options),
      below: (name) => (name !== '' && isSkipped(name) ? undefined : visitor),
    }
    return mapStrings(value, visitor) as Value
  }

  /** A string that stands in JSON under a name. */
  member(name: string, text: string, options: RedactTextOptions = {}): string {
    const redact = (rule: Rule, current: string) =>
      rule.redact(rule.redactMember?.(name, current) ?? current)
    return this.#settled(text, redact, options)
  }

  #settled(
    text: string,
    redact: (rule: Rule, text: string) => string,
    options: RedactTextOptions,
  ): string {
    // A text that was given up stays given up, whatever a rule would make of the marker.
    if (text === REDACTED) return text
    let current = text
    let changing: Rule | undefined
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      changing = undefined
      for (const rule of this.#rules) {
        const before = current
        try {
          current = redact(rule, before)
        } catch (cause) {
          return this.#closed({ rule: rule.name, reason: 'threw', cause }, options)
        }
        if (typeof current !== 'string') {
          return this.#closed({ rule: rule.name, reason: 'not_text' }, options)
        }
        if (current !== before) changing = rule
      }
      if (changing === undefined) return current
    }
    return this.#closed({ rule: changing!.name, reason: 'unsettled' }, options)
  }

  #closed(problem: RedactionProblem, { onProblem }: RedactTextOptions): string {
    this.#onProblem(problem)
    onProblem?.(problem)
    return REDACTED
  }
}

/** A redactor with the rules that are always there, and those that are given. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  return new Redactor(options)
}
