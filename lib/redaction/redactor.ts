// Applies rules to texts and to JSON, always in the same order, until no rule changes anything: so
// redacting twice changes nothing more.
//
// When a rule fails, what the text still holds is unknown, so all of it is replaced.

import { SessionError } from '../errors.js'
import { DEFAULT_RULES } from './default-rules.js'
import { mapStrings, type Visitor } from './map-strings.js'
import { REDACTED, type Rule } from './rule.js'

/** Either a pattern, whose matches are replaced as a whole, or a function of the text. */
export type CustomRule =
  | { readonly name: string; readonly pattern: RegExp }
  | { readonly name: string; readonly redact: (text: string) => string }

export interface RedactionProblem {
  /** The rule that failed; for a text that never settles, one that would change it again. */
  readonly rule: string
  readonly reason: 'threw' | 'not_text' | 'unsettled'
  /** What the rule threw. It may contain the secret: do not print it. */
  readonly cause?: unknown
}

export interface RedactorOptions {
  /**
   * More rules, applied before the default rules.
   *
   * @default []
   */
  rules?: readonly CustomRule[] | undefined

  /**
   * Use only `rules`, without the default rules; there must be at least one.
   *
   * @default false
   */
  replaceDefaults?: boolean | undefined

  /**
   * Called for every text that was replaced as a whole because a rule failed.
   *
   * @default none
   */
  onProblem?: ((problem: RedactionProblem) => void) | undefined
}

export interface RedactTextOptions {
  /**
   * Called as well, for this call.
   *
   * @default none
   */
  onProblem?: ((problem: RedactionProblem) => void) | undefined
}

export interface RedactValueOptions extends RedactTextOptions {
  /**
   * Members that stay as they are, with everything below: ids, paths, hashes, times.
   *
   * @default none
   */
  skip?: readonly string[] | ((name: string) => boolean) | undefined
}

// What one pass leaves may form a secret for the next. After this many passes the text is an attack,
// or a rule matches its own output.
const PASSES_MAX = 8

export class Redactor {
  readonly #rules: readonly Rule[]
  readonly #onProblem: (problem: RedactionProblem) => void

  constructor({ rules = [], replaceDefaults = false, onProblem = () => {} }: RedactorOptions = {}) {
    const custom = rules.map(toRule)
    if (replaceDefaults && custom.length === 0) {
      throw new SessionError('ERR_ARG', 'A redactor needs at least one rule')
    }
    this.#rules = replaceDefaults ? custom : [...custom, ...DEFAULT_RULES]
    this.#onProblem = onProblem
  }

  /** The text without secrets. Never throws because of a rule. */
  text(text: string, options: RedactTextOptions = {}): string {
    if (typeof text !== 'string') throw new TypeError('Only a string can be redacted as text')
    return this.#applyRules(text, (rule, current) => rule.redact(current), options)
  }

  /**
   * JSON without secrets: every string at any depth, also by the name of its member. Names and
   * structure stay. Returns a copy, or the same value where nothing was found.
   */
  value<Value>(value: Value, { skip = [], ...options }: RedactValueOptions = {}): Value {
    const isSkipped = typeof skip === 'function' ? skip : (name: string) => skip.includes(name)
    const visitor: Visitor = {
      text: (text, name) => this.member(name, text, options),
      below: (name) => (name !== '' && isSkipped(name) ? undefined : visitor),
    }
    return mapStrings(value, visitor) as Value
  }

  /** A string that is the value of a member in JSON. */
  member(name: string, text: string, options: RedactTextOptions = {}): string {
    const redact = (rule: Rule, current: string) =>
      rule.redact(rule.redactMember?.(name, current) ?? current)
    return this.#applyRules(text, redact, options)
  }

  #applyRules(
    text: string,
    redact: (rule: Rule, text: string) => string,
    options: RedactTextOptions,
  ): string {
    // A text that was replaced as a whole stays so, even if a rule would change the marker.
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
          return this.#replaceAll({ rule: rule.name, reason: 'threw', cause }, options)
        }
        if (typeof current !== 'string') {
          return this.#replaceAll({ rule: rule.name, reason: 'not_text' }, options)
        }
        if (current !== before) changing = rule
      }
      if (changing === undefined) return current
    }
    return this.#replaceAll({ rule: changing!.name, reason: 'unsettled' }, options)
  }

  #replaceAll(problem: RedactionProblem, { onProblem }: RedactTextOptions): string {
    this.#onProblem(problem)
    onProblem?.(problem)
    return REDACTED
  }
}

/** A redactor with the default rules and the given ones. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  return new Redactor(options)
}

/** Only the default rules. */
export const defaultRedactor = new Redactor()

/** The text, with `[REDACTED]` where a secret was. */
export function redactText(text: string, options?: RedactTextOptions): string {
  return defaultRedactor.text(text, options)
}

/** The value, with `[REDACTED]` where a secret was; the same object if there was none. */
export function redactValue<Value>(value: Value, options?: RedactValueOptions): Value {
  return defaultRedactor.value(value, options)
}

function toRule(custom: CustomRule): Rule {
  if (typeof custom?.name !== 'string' || custom.name === '') {
    throw new TypeError('A redaction rule needs a name')
  }
  const { name } = custom
  if ('pattern' in custom) {
    if (!(custom.pattern instanceof RegExp)) {
      throw new TypeError(`The pattern of the redaction rule "${name}" must be a RegExp`)
    }
    return { name, redact: replacing(custom.pattern) }
  }
  if (typeof custom.redact !== 'function') {
    throw new TypeError(`The redaction rule "${name}" needs a pattern or a function`)
  }
  return { name, redact: custom.redact }
}

/** Never touches the marker, so that redacting twice changes nothing more. */
function replacing({ source, flags }: RegExp): (text: string) => string {
  // Without g only the first secret would be replaced, and with y only one at the start.
  const pattern = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
  return (text) =>
    text.replace(pattern, (match: string, ...rest: unknown[]) => {
      const at = rest.find((argument) => typeof argument === 'number') as number
      return match === '' || isInsideMarker(text, at, at + match.length) ? match : REDACTED
    })
}

function isInsideMarker(text: string, start: number, end: number): boolean {
  const { length } = REDACTED
  return text.slice(Math.max(0, end - length), start + length).includes(REDACTED)
}
