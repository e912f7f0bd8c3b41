// `npm run shells` reads the built page with man and groff; here is what needs neither.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { GLOBAL_OPTIONS } from '../../../lib/cli/command.js'
import { COMMANDS } from '../../../lib/cli/commands.js'
import { manPage } from '../../../lib/cli/man/index.js'
import { toManPage } from '../../../lib/cli/man/man-page.js'
import { escapeLines, escapeText, request } from '../../../lib/cli/man/roff.js'
import { PACKAGE_VERSION } from '../../../lib/version.js'

const page = await manPage()
const commands = await Promise.all([...COMMANDS.values()].map((load) => load()))

/** The words of a page, without the notation of roff. */
function wordsOf(source: string): string {
  return source
    .replace(/\\\[u([0-9A-F]{4,5})\]/g, (_, hex: string) =>
      String.fromCodePoint(Number(`0x${hex}`)),
    )
    .replaceAll('\\-', '-')
    .replaceAll('\\(aq', "'")
    .replaceAll('\\(ga', '`')
    .replaceAll('\\(ha', '^')
    .replaceAll('\\(ti', '~')
    .replaceAll('\\(dq', '"')
    .replaceAll('\\&', '')
    .replaceAll('\\e', '\\')
}

test('the page has every command, every option and every line of every help', () => {
  const words = wordsOf(page)
  for (const option of GLOBAL_OPTIONS) expect(words).toContain(option.text)
  for (const { name, summary, options = [], lesson } of commands) {
    expect(words).toContain(`.SS "${name}"\n${summary}.`)
    for (const { text, isHidden } of options) if (!isHidden) expect(words).toContain(text)
    const [taught = ''] = lesson.split('Exit codes:')
    for (const line of taught.split('\n')) expect(words).toContain(line.trim())
  }
  expect(words).toContain(`jsonl-session ${PACKAGE_VERSION}`)
})

test('a line that is no request does not begin like one, and all is ASCII', () => {
  for (const line of page.split('\n')) {
    expect(line).toMatch(/^(?:\.(?:TH|SH|SS|PP|TP|B|RS|RE|nf|fi|ad|nh|PD)\b|[^.'])|^$/)
    expect(line).toMatch(/^[\x20-\x7e]*$/)
    expect(line.replaceAll('\\-', '')).not.toContain('-')
  }
})

test('a leading dot, quotes, hyphens, backslashes and other scripts are escaped', () => {
  expect(escapeLines('.transcripts\n.\nx.y')).toBe('\\&.transcripts\n\\&.\nx.y')
  expect(escapeLines("'quoted' `code`")).toBe('\\(aqquoted\\(aq \\(gacode\\(ga')
  expect(escapeText('--no-color \\n ~/x ^R')).toBe('\\-\\-no\\-color \\en \\(ti/x \\(haR')
  expect(escapeText('· … 漢 😀')).toBe('\\[u00B7] \\[u2026] \\[u6F22] \\[u1F600]')
  expect(request('B', 'say "hi"')).toBe('.B "say \\(dqhi\\(dq"')
})

test('values that the text of an option does not name are listed', () => {
  const option = { name: 'mode', value: 'M', text: 'how much', values: ['all', 'none'] }
  const command = { ...commands[0]!, options: [option] }
  const groups = new Map([['Daily', [command]]])
  expect(toManPage({ version: '1', summary: 's', lesson: 'l', groups })).toContain(
    '.B "\\-\\-mode M"\nhow much (all, none)\n',
  )
})

test('the package ships the page, and the build wrote this one', () => {
  const root = new URL('../../../', import.meta.url)
  const { man, files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  expect(man).toBe('./dist/man/jsonl-session.1')
  expect(files).toContain('dist')
  expect(readFileSync(fileURLToPath(new URL(man, root)), 'utf8')).toBe(page)
})
