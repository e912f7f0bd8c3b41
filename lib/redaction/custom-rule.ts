// A rule that somebody brings along, checked and made fit: it must not touch what is redacted
// already, or redacting twice would not be redacting once.

import { REDACTED, type Rule } from './rule.js'

/** Either a pattern, whose matches are replaced as a whole, or a function of the text. */
export type CustomRule =
  | { readonly name: string; readonly pattern: RegExp }
  | { readonly name: string; readonly redact: (text: string) => string }

export function ruleOf(custom: CustomRule): Rule {
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

function replacing({ source, flags }: RegExp): (text: string) => string {
  // Without g only the first secret would go, and with y none but at the very beginning.
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
