// Texts of a transcript: Markdown, code and plain text, each with the words that are searched for.

import { useMemo } from 'preact/hooks'
import { renderCode, renderMarkdown, splitMatches } from './markdown.js'

interface TextProps {
  readonly text: string
  readonly marks: string
}

export function Markdown({ text, marks }: TextProps) {
  const html = useMemo(() => renderMarkdown(text, marks), [text, marks])
  // renderMarkdown sanitizes it.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}

export function Marked({ text, marks }: TextProps) {
  if (marks === '') return <>{text}</>
  return (
    <>
      {splitMatches(text, marks).map(({ part, isMatch }, at) =>
        isMatch ? <mark key={at}>{part}</mark> : part,
      )}
    </>
  )
}

interface CodeProps extends TextProps {
  readonly language: string | undefined
  readonly label: string
}

export function Code({ text, language, marks, label }: CodeProps) {
  const html = useMemo(() => renderCode(text, language, marks), [text, language, marks])
  return (
    <figure class="block">
      <figcaption>{label}</figcaption>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: it scrolls, also without a mouse */}
      <pre class="code" tabIndex={0} dangerouslySetInnerHTML={{ __html: html }} />
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: as above */}
    </figure>
  )
}
