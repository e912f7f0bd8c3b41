// Summarizers by name, for the command line and settings files.

import type { Summarizer } from '../compaction/index.js'
import { SessionError } from '../errors.js'
import { anthropic } from './anthropic.js'
import { extractive } from './extractive.js'
import { ollama } from './ollama.js'
import { openAiCompatible } from './open-ai.js'

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
  if (api === 'openai') {
    const apiKey = keyFor(api, { env, variable: 'OPENAI_API_KEY', isNeeded: url === undefined })
    return openAiCompatible({ model, url, apiKey })
  }
  const apiKey = keyFor(api, { env, variable: 'ANTHROPIC_API_KEY', isNeeded: url === undefined })
  return anthropic({ model, url, apiKey })
}

interface KeyOptions {
  readonly env: Env
  readonly variable: string
  /** A server with a given url may need none. */
  readonly isNeeded: boolean
}

function keyFor(api: string, { env, variable, isNeeded }: KeyOptions): string | undefined {
  const key = env[variable]?.trim()
  if (key !== undefined && key !== '') return key
  if (!isNeeded) return undefined
  throw new SessionError('ERR_ARG', `${api} needs a key in ${variable}`, { variable })
}
