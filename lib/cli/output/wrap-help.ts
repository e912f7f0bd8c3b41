// The text of a help page at the width of the terminal: paragraphs are filled, indented lines are
// continued further to the right.

const HANG = 2

/** Wraps a help text. Lines that fit stay as they are; a word that is too long is not broken. */
export function wrapLesson(lesson: string, width: number): string {
  const filled = lesson.replace(/(?:^\S.*\n)+/gm, (paragraph) => {
    if (paragraph.split('\n').every((line) => line.length <= width)) return paragraph
    const words = paragraph.trimEnd().split(/\s+/)
    const parts = words.map((word) => `${word} `)
    return `${fill(parts, { width, first: '', next: '' })}\n`
  })
  return filled
    .split('\n')
    .map((line) => (line.length <= width ? line : wrapIndented(line, width)))
    .join('\n')
}

/** A row of a list: a name and its text, which continues under itself. */
export function wrapRow(name: string, text: string, width: number): string {
  const parts = text.match(WORDS) ?? []
  return fill(parts, { width, first: name, next: ' '.repeat(name.length) })
}

const WORDS = /\S+\s*/g
/** What is quoted stays in one line. */
const SHELL_WORDS = /(?:'[^']*'|"[^"]*"|\S)+\s*/g
/** JSON without spaces may be parted after a comma. */
const JSON_PARTS = /[^,\s]*(?:,|\s+|$)/g

/** One line with an indentation. A command is continued as a shell takes it, so that it can be copied. */
function wrapIndented(line: string, width: number): string {
  const indent = /^ */.exec(line)![0]
  const rest = line.slice(indent.length)
  if (rest.startsWith('$ ')) {
    const first = `${indent}$ `
    const next = ' '.repeat(first.length + HANG)
    return fill(rest.slice(2).match(SHELL_WORDS)!, { width, first, next, end: ' \\' })
  }
  const parts = rest.match(/^[{[]/.test(rest) ? JSON_PARTS : WORDS)!
  return fill(parts, { width, first: indent, next: indent + ' '.repeat(HANG) })
}

interface Filling {
  readonly width: number
  /** What the first line and the others begin with. */
  readonly first: string
  readonly next: string
  /** What every line but the last ends with. */
  readonly end?: string
}

/** Each part has the spaces that follow it. */
function fill(parts: readonly string[], { width, first, next, end = '' }: Filling): string {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const part of parts) {
    if (isEmpty || (line + part.trimEnd()).length + end.length <= width) line += part
    else {
      lines.push(line.trimEnd() + end)
      line = next + part
    }
    isEmpty = false
  }
  return [...lines, line.trimEnd()].join('\n')
}
