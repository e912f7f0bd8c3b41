// A tool call with its result: what was asked in a line, the rest when it is opened.

import { type Block, type ShownImage, type ShownResult, searchedText } from '../../chain/index.js'
import { formatDuration } from './format.js'
import { renderCode } from './markdown.js'
import { Code, Marked } from './text.js'

type Call = Extract<Block, { kind: 'call' }>

interface Props {
  readonly call: Call
  readonly isOpen: boolean
  readonly marks: string
}

export function ToolLine({ call, marks }: Omit<Props, 'isOpen'>) {
  const { name, input, result } = call
  return (
    <span class="tool-line">
      <b class="tool-name">{name}</b>
      <span class="tool-input">
        <Marked text={shortInput(input)} marks={marks} />
      </span>
      {result?.durationMs !== undefined && (
        <span class="dim">{formatDuration(result.durationMs)}</span>
      )}
      <ResultBadge result={result} />
    </span>
  )
}

/** A call in a line; the rest of it when it is opened, or when the search finds something in it. */
export function FoldedCall({ call, isOpen, marks }: Props) {
  const isFound = marks !== '' && searchedText(call).toLowerCase().includes(marks.toLowerCase())
  return (
    <details class="call" open={isOpen || isFound}>
      <summary>
        <ToolLine call={call} marks={marks} />
      </summary>
      <ToolBody call={call} marks={marks} />
    </details>
  )
}

function ResultBadge({ result }: { readonly result: ShownResult | undefined }) {
  if (result === undefined) return <span class="badge open">no result</span>
  return result.isError ? <span class="badge error">error</span> : <span class="badge ok">ok</span>
}

function ToolBody({ call, marks }: Omit<Props, 'isOpen'>) {
  const { input, result } = call
  const change = changeOf(input)
  return (
    <div class="tool-body">
      {change === undefined ? (
        <Code text={pretty(input)} language="json" marks={marks} label="Input" />
      ) : (
        <Diff {...change} marks={marks} />
      )}
      {result !== undefined && (
        <>
          <Result result={result} marks={marks} />
          {result.images.map((image, at) => (
            <Picture key={at} image={image} />
          ))}
        </>
      )}
    </div>
  )
}

export function Result({
  result,
  marks,
}: {
  readonly result: ShownResult
  readonly marks: string
}) {
  const isDiff = /^(?:diff --git |--- .*\n\+\+\+ )/m.test(result.text)
  const language = isDiff ? 'diff' : undefined
  const label = result.isError ? 'Error' : 'Result'
  return (
    <div class={result.isError ? 'result error' : 'result'}>
      <Code text={result.text} language={language} marks={marks} label={label} />
    </div>
  )
}

const SHOWN_IMAGES = /^image\/(?:png|jpeg|gif|webp)$/

/** Only formats that cannot hold a script. */
export function Picture({ image }: { readonly image: ShownImage | undefined }) {
  if (image === undefined) return <span class="dim">[image that is not in the log]</span>
  const { mediaType, data } = image
  const isShown = SHOWN_IMAGES.test(mediaType) && /^[\w+/=\s-]+$/.test(data)
  if (!isShown) return <span class="dim">[image: {mediaType || 'unknown type'}]</span>
  return <img class="picture" src={`data:${mediaType};base64,${data}`} alt="Part of the message" />
}

interface Change {
  readonly path: string
  readonly lines: readonly { readonly sign: '+' | '-' | ' '; readonly text: string }[]
}

/** What a call of an editing tool replaces. */
function changeOf(input: unknown): Change | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const { file_path, path, old_string, new_string, oldText, newText } = input as Record<
    string,
    unknown
  >
  const [before, after] = [old_string ?? oldText, new_string ?? newText]
  if (typeof before !== 'string' || typeof after !== 'string') return undefined
  return { path: String(file_path ?? path ?? ''), lines: compareLines(before, after) }
}

/** Lines that are equal at both ends are context; what is between them was replaced. */
function compareLines(before: string, after: string): Change['lines'] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  const most = Math.min(old.length, now.length) - start
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const toLines = (lines: readonly string[], sign: '+' | '-' | ' ') =>
    lines.map((text) => ({ sign, text }))
  return [
    ...toLines(old.slice(0, start), ' '),
    ...toLines(old.slice(start, old.length - end), '-'),
    ...toLines(now.slice(start, now.length - end), '+'),
    ...toLines(end === 0 ? [] : old.slice(-end), ' '),
  ]
}

const SIGN_CLASSES = { '+': 'added', '-': 'removed', ' ': '' } as const

function Diff({ path, lines, marks }: Change & { readonly marks: string }) {
  return (
    <figure class="diff">
      <figcaption>{path}</figcaption>
      <pre>
        {lines.map(({ sign, text }, at) => (
          <span key={at} class={`line ${SIGN_CLASSES[sign]}`}>
            {sign} <Marked text={text} marks={marks} />
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  )
}

const SHORT_CHARS = 200

function shortInput(input: unknown): string {
  if (typeof input === 'string') return input.slice(0, SHORT_CHARS)
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Record<string, unknown>
  const named = ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'url', 'description']
    .map((name) => fields[name])
    .find((value) => typeof value === 'string')
  const text = (named as string | undefined) ?? JSON.stringify(input)
  return text.replace(/\s+/g, ' ').slice(0, SHORT_CHARS)
}

function pretty(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** An event as it is on disk. */
export function RawJson({ value }: { readonly value: unknown }) {
  const html = renderCode(pretty(value), 'json', '')
  // renderCode sanitizes it.
  return <pre class="code" dangerouslySetInnerHTML={{ __html: html }} />
}
