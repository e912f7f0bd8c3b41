// The man page, from the table of commands that the help is made of.

import { type Command, GLOBAL_OPTIONS, type OptionSpec } from '../command.js'
import { escapeLines, escapeText, request } from './roff.js'

export interface ManPage {
  readonly version: string
  readonly summary: string
  /** What the help of the program teaches. */
  readonly lesson: string
  /** The commands by the title of their group. */
  readonly groups: ReadonlyMap<string, readonly Command[]>
}

/** One page with every command. */
export function toManPage({ version, summary, lesson, groups }: ManPage): string {
  const lines = [
    request('TH', 'JSONL-SESSION', '1', '', `jsonl-session ${version}`, 'User Commands'),
    // Text that is not filled to both margins is easier to read on a terminal.
    '.ad l',
    '.nh',
    request('SH', 'NAME'),
    escapeLines(`jsonl-session - ${summary}`),
    request('SH', 'SYNOPSIS'),
    request('B', 'jsonl-session'),
    escapeText('<command> [arguments] [options]'),
    request('SH', 'DESCRIPTION'),
    ...lessonLines(lesson),
    request('SH', 'OPTIONS'),
    escapeLines('Every command takes these. They may come before its name.'),
    ...optionLines(GLOBAL_OPTIONS),
  ]
  for (const [title, commands] of groups) {
    lines.push(request('SH', `${title} commands`.toUpperCase()))
    for (const command of commands) lines.push(...commandLines(command))
  }
  lines.push(
    request('SH', 'SEE ALSO'),
    escapeLines('The documentation: https://github.com/jsonl-session/jsonl-session#readme'),
  )
  return `${lines.join('\n')}\n`
}

function commandLines(command: Command): string[] {
  const { name, summary, operand = '', operandText = '', options = [], lesson } = command
  const texts = [operandText].flat()
  const operands = operand.split(' ').filter(Boolean)
  return [
    request('SS', name),
    escapeLines(`${summary}.`),
    '.PP',
    request('B', `jsonl-session ${name}`),
    escapeText(`${operand} [options]`.trim()),
    ...operands.flatMap((one, index) => item(one, texts[index] ?? '')),
    ...optionLines(options),
    '.PP',
    ...lessonLines(lesson),
  ]
}

function optionLines(options: readonly OptionSpec[]): string[] {
  return options
    .filter(({ isHidden }) => !isHidden)
    .flatMap(({ name, short, value, text, values, isOpen }) => {
      const names = short === undefined ? `--${name}` : `-${short}, --${name}`
      const isListed = values === undefined || isOpen || values.every((one) => text.includes(one))
      const words = isListed ? '' : ` (${values.join(', ')})`
      return item(value === undefined ? names : `${names} ${value}`, text + words)
    })
}

function item(term: string, text: string): string[] {
  return ['.TP', request('B', term), escapeLines(text)]
}

/** Paragraphs are filled, examples are not; exit codes are a list. */
function lessonLines(lesson: string): string[] {
  const blocks = lesson.trim().split(/\n{2,}/)
  return blocks.flatMap((block, index) => {
    const [first = '', ...rest] = block.split('\n')
    if (!/^\S.*:$/.test(first) || !rest.every((line) => line.startsWith('  '))) {
      const isIndented = block.split('\n').every((line) => line.startsWith('  '))
      return [
        ...(index === 0 ? [] : ['.PP']),
        ...(isIndented ? literal(block) : [escapeLines(block)]),
      ]
    }
    const heading = ['.PP', request('B', first)]
    if (first === 'Exit codes:') return [...heading, ...exitCodes(rest)]
    return [...heading, ...literal(rest.join('\n'))]
  })
}

function literal(text: string): string[] {
  return ['.RS 2', '.nf', escapeLines(text.replace(/^ {2}/gm, '')), '.fi', '.RE']
}

/** `0 done · 1 no match`, one in a row. */
function exitCodes(lines: readonly string[]): string[] {
  const codes = lines
    .map((line) => line.trim())
    .join(' · ')
    .split(/ · (?=\d )/)
  const items = codes.flatMap((code) => {
    const [, number = '', text = code] = /^(\d) (.*)$/.exec(code) ?? []
    return ['.TP 4', ...item(number, text).slice(1)]
  })
  // Without empty lines between them.
  return ['.PD 0', ...items, '.PD']
}
