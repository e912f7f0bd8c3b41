// Summarizers by name, for the command line and settings files; and several as one.

import type { Summarizer } from '../compaction/index.js'
import { SessionError } from '../errors.js'
import { anthropic, ollama, openAiCompatible } from './apis.js'
import { extractive } from './extractive.js'

type Env = Readonly<Record<string, string | undefined>>

const NAME = /^(ollama|openai|anthropic):(.+?)(?:@(https?:\/\/.+))?$/
const EXAMPLES =
  'extractive, ollama:qwen2.5:7b, openai:gpt-4o-mini@https://host/v1, anthropic:claude-haiku-4-5'

/**
 * Takes `extractive`, or `api:model`, or `api:model@url` with `ollama`, `openai` or `anthropic` as api.
 * Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY.
 */
export function summarizerFrom(name: string, env: Env = {}): Summarizer {
  const trimmed = name.trim()
  if (trimmed === 'extractive') return extractive()
  const [, api, model, url] = NAME.exec(trimmed) ?? []
  if (api === undefined || model === undefined) {
    throw new SessionError('ERR_ARG', `"${name}" is not a summarizer. Examples: ${EXAMPLES}`)
  }
  if (api === 'ollama') return ollama({ model, url })
  const isOpenAi = api === 'openai'
  const variable = isOpenAi ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY'
  const apiKey = env[variable]?.trim() || undefined
  // A server with a given url may need none.
  if (apiKey === undefined && url === undefined) {
    throw new SessionError('ERR_ARG', `${api} needs a key in ${variable}`, { variable })
  }
  return (isOpenAi ? openAiCompatible : anthropic)({ model, url, apiKey })
}

/** Asks summarizers in order until one answers. */
export function withFallbacks(first: Summarizer, ...others: readonly Summarizer[]): Summarizer {
  return async (request) => {
    const errors: unknown[] = []
    for (const summarizer of [first, ...others]) {
      request.signal.throwIfAborted()
      try {
        const summary = await summarizer(request)
        if (typeof summary?.text === 'string' && summary.text.trim() !== '') return summary
        errors.push(new SessionError('ERR_SUMMARIZER', 'The summarizer returned no text'))
      } catch (error) {
        errors.push(error)
      }
    }
    request.signal.throwIfAborted()
    const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error)))
    throw new SessionError(
      'ERR_SUMMARIZER',
      `No summarizer returned a summary: ${reasons.join(' / ')}`,
      {
        cause: new AggregateError(errors),
      },
    )
  }
}
