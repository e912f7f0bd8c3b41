// Texts of a transcript: Markdown, code and plain text, each with the words that are searched for.

import { useMemo } from 'preact/hooks'
import { renderCode, renderMarkdown, splitMatches } from './markdown.js'

interface TextProps {
  readonly text: string
  readonly marks: string
}

export function Markdown({ text, marks }: TextProps) {
  const html = useMemo(() => renderMarkdown(text, marks), [text, marks])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: renderMarkdown sanitizes it
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
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: renderCode sanitizes it */}
      <pre class="code" tabIndex={0} dangerouslySetInnerHTML={{ __html: html }} />
    </figure>
  )
}
