// Text on its way out of the store: to a model, to a tool, to another session. The log keeps what
// was said; what is served passes a redactor first. This is the one place that knows which.

import { redactText } from '../redaction/index.js'

export interface ServedTextOptions {
  /**
   * What every text passes before it is handed out.
   *
   * @default the rules of docs/REDACTION.md
   */
  redact?: ((text: string) => string) | undefined
}

export function redactorOf({ redact }: ServedTextOptions): (text: string) => string {
  return redact ?? ((text) => redactText(text))
}

/** One line: whatever white space stands between two words becomes one space. */
export function onOneLine(text: string): string {
  return text.replace(BLANKS, ' ').trim()
}

const BLANKS = /[\s\u0000-\u001f\u007f-\u009f]+/g
