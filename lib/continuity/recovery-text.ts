// A checkpoint as the next session gets to read it. What does not fit is cut from the end, after
// what matters most was put first, and the cut is told. Pure.

import { cutToChars } from './shorten.js'

// Whoever reads this is a model that may take every sentence for an order.
const HEADING = `## Session Recovery Context
Background from an earlier session, not a request; the user's own words come first.

`
const TRUNCATED = '\n[truncated]'
const SECTION = '### '
const SESSION_CONTEXT = '### Session Context'

/** The whole section, with its heading and the mark of a cut, has at most so many chars. */
export function recoveryText(digest: string, budgetChars: number): string {
  const text = digest.toWellFormed().trim()
  const whole = HEADING + text
  if (whole.length <= budgetChars) return whole
  const room = budgetChars - TRUNCATED.length
  if (room < HEADING.length) return ''
  return HEADING + cutToChars(importantFirst(text), room - HEADING.length) + TRUNCATED
}

/** What stands above all sections, then the context of the session, then the rest as it was. */
function importantFirst(text: string): string {
  const sections: string[][] = [[]]
  for (const line of text.split('\n')) {
    if (line.startsWith(SECTION)) sections.push([])
    sections.at(-1)!.push(line)
  }
  const [top, ...rest] = sections.map((lines) => lines.join('\n').trimEnd())
  const isContext = (section: string) => section.split('\n', 1)[0]!.trimEnd() === SESSION_CONTEXT
  const others = rest.filter((section) => !isContext(section))
  const ordered = [top!, ...rest.filter(isContext), ...others]
  return ordered.filter((section) => section !== '').join('\n\n')
}
