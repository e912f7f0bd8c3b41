// A summary without a model: prompts, the last reply, tools and files, taken word for word from the
// conversation. It is worse than that of a model, costs nothing, and cannot fail.

import { type Message, pairTools, partsOf, pathsIn, wordsOf } from '../chain/index.js'
import { readStructured, type Summarizer } from '../compaction/index.js'
import { clipEnd, clipMiddle, oneLine } from '../format/index.js'

const CHARS_PER_TOKEN = 3.6
const PROMPT_CHARS = 300
const ITEMS_MAX = 12

/** Summarizes without a model: takes the important lines of the messages word for word. */
export function extractive(): Summarizer {
  return async ({ messages, previousSummary, maxTokens }) => {
    const charsMax = Math.max(200, Math.floor(maxTokens * CHARS_PER_TOKEN))
    const text = join(sectionsOf(messages, previousSummary, charsMax), charsMax)
    const structured = readStructured(text)
    return { text, model: 'extractive', ...(structured !== undefined && { structured }) }
  }
}

interface Section {
  readonly heading: string
  readonly lines: readonly string[]
}

function sectionsOf(
  messages: readonly Message[],
  previousSummary: string | undefined,
  charsMax: number,
): Section[] {
  const prompts = messages
    .filter(({ type }) => type === 'user')
    .map(words)
    .filter(Boolean)
  const replies = messages
    .filter(({ type }) => type === 'assistant')
    .map(words)
    .filter(Boolean)
  const lastReply = replies.at(-1)
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`
  const state = [
    `Taken from ${count} word for word; no model has read them.`,
    ...(lastReply === undefined ? [] : [`Said last: ${clipMiddle(lastReply, charsMax >> 2)}`]),
    ...toolLines(messages),
  ]
  return [
    { heading: 'State', lines: state },
    {
      heading: 'What was asked',
      lines: ends(prompts).map((it) => `- ${clipEnd(it, PROMPT_CHARS)}`),
    },
    { heading: 'Open questions', lines: questionsIn(replies.slice(-3)).map((it) => `- ${it}`) },
    {
      heading: 'What was known before',
      lines: previousSummary === undefined ? [] : [clipEnd(previousSummary.trim(), charsMax >> 1)],
    },
  ]
}

/** Sections in order; where not all fit, each is shortened and none is left out. */
function join(sections: readonly Section[], charsMax: number): string {
  const filled = sections.filter(({ lines }) => lines.length > 0)
  const texts = filled.map(({ heading, lines }) => `## ${heading}\n${lines.join('\n')}`)
  const whole = texts.join('\n\n')
  if (whole.length <= charsMax) return whole
  const share = Math.floor(charsMax / texts.length) - 2
  return texts.map((text) => clipMiddle(text, share)).join('\n\n')
}

/** The first and the last ones: the topic and the present state. */
function ends(items: readonly string[]): readonly string[] {
  if (items.length <= ITEMS_MAX) return items
  const first = items.slice(0, 3)
  const left = items.length - ITEMS_MAX
  return [...first, `[${left} more]`, ...items.slice(-(ITEMS_MAX - first.length))]
}

function toolLines(messages: readonly Message[]): string[] {
  const { calls } = pairTools(messages)
  const counts = new Map<string, number>()
  const paths = new Set<string>()
  for (const { name, input } of calls) {
    counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const path of pathsIn(input)) paths.add(path)
  }
  const used = [...counts].map(([name, count]) => `${name || 'a tool'} ${count}×`)
  const errors = messages.flatMap(partsOf).filter((part) => part.kind === 'result' && part.isError)
  const lastError = errors.at(-1)?.text
  return [
    ...(used.length === 0 ? [] : [`Tools used: ${used.slice(0, ITEMS_MAX).join(', ')}`]),
    ...(paths.size === 0 ? [] : [`Files: ${[...paths].slice(-ITEMS_MAX).join(', ')}`]),
    ...(lastError === undefined ? [] : [`Last error: ${oneLine(clipMiddle(lastError, 300))}`]),
  ]
}

/** Sentences of the last replies that end with a question mark. */
function questionsIn(replies: readonly string[]): string[] {
  const sentences = replies.flatMap((reply) => reply.slice(-4000).split(/(?<=[.!?？。])\s+/))
  const questions = new Set(sentences.filter((sentence) => /[?？]$/.test(sentence)))
  return [...questions].slice(-ITEMS_MAX).map((question) => clipEnd(question, PROMPT_CHARS))
}

function words(message: Message): string {
  return oneLine(wordsOf(message.payload))
}
