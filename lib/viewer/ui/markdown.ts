// Markdown of a transcript as HTML that cannot run anything or load anything. A transcript is what other
// programs and web pages said: all of it is hostile until proven otherwise.

import createPurifier from 'dompurify'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { Marked } from 'marked'

const LANGUAGES = {
  bash,
  css,
  diff,
  go,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
}
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language)
hljs.registerAliases(['tsx', 'jsx', 'mjs'], { languageName: 'typescript' })
hljs.registerAliases(['console'], { languageName: 'bash' })

/** Longer texts are shown as they are: to parse them would block the page. */
const MARKDOWN_CHARS_MAX = 100_000
const HIGHLIGHTED_CHARS_MAX = 50_000

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    code: ({ text, lang }) =>
      `<pre class="code"><code>${highlightCode(text, lang?.split(/\s/)[0])}</code></pre>`,
    // What looks like HTML in a transcript is part of what was said, so it is shown, not interpreted.
    html: ({ text }) => escapeHtml(text),
    // An address of an image would be asked for as soon as the text is shown.
    image: ({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
})

const purifier = createPurifier(window)
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer nofollow')
})

const ALLOWED = {
  ALLOWED_TAGS:
    'a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i input li mark ol p pre s span strong sub sup table tbody td th thead tr ul'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'class', 'start', 'align', 'type', 'checked', 'disabled'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ALLOW_DATA_ATTR: false,
}

/** `marks`: a text to highlight. */
export function renderMarkdown(text: string, marks: string): string {
  const html =
    text.length > MARKDOWN_CHARS_MAX
      ? `<pre class="plain">${escapeHtml(text)}</pre>`
      : (marked.parse(text, { async: false }) as string)
  return markText(purifier.sanitize(html, ALLOWED), marks)
}

/** Code with colours, as HTML; in a language that is not known, without. */
export function highlightCode(code: string, language: string | undefined): string {
  const isKnown = language !== undefined && hljs.getLanguage(language) !== undefined
  if (!isKnown || code.length > HIGHLIGHTED_CHARS_MAX) return escapeHtml(code)
  return hljs.highlight(code, { language, ignoreIllegals: true }).value
}

export function renderCode(code: string, language: string | undefined, marks: string): string {
  return markText(purifier.sanitize(highlightCode(code, language), ALLOWED), marks)
}

/** Marks every occurrence in the texts of the HTML, not in its tags. */
function markText(html: string, wanted: string): string {
  if (wanted === '') return html
  const template = document.createElement('template')
  template.innerHTML = html
  const walker = document.createTreeWalker(template.content, NodeFilter.SHOW_TEXT)
  const found: Text[] = []
  while (walker.nextNode()) {
    const node = walker.currentNode as Text
    if (node.data.toLowerCase().includes(wanted.toLowerCase())) found.push(node)
  }
  for (const node of found) node.replaceWith(...toMarked(node.data, wanted))
  return template.innerHTML
}

function toMarked(text: string, wanted: string): (string | HTMLElement)[] {
  return splitMatches(text, wanted).map(({ part, isMatch }) => {
    if (!isMatch) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}

/** The text in pieces, at every occurrence of another one. */
export function splitMatches(text: string, wanted: string): { part: string; isMatch: boolean }[] {
  const pieces: { part: string; isMatch: boolean }[] = []
  const [lower, needle] = [text.toLowerCase(), wanted.toLowerCase()]
  let from = 0
  // Some letters change their length in lower case; then the places would be wrong.
  const canMark = needle !== '' && lower.length === text.length
  for (let at = canMark ? lower.indexOf(needle) : -1; at !== -1; at = lower.indexOf(needle, from)) {
    if (at > from) pieces.push({ part: text.slice(from, at), isMatch: false })
    from = at + needle.length
    pieces.push({ part: text.slice(at, from), isMatch: true })
  }
  if (from < text.length) pieces.push({ part: text.slice(from), isMatch: false })
  return pieces
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
