// Entry point of the module that calls models. No other module imports it: the caller passes a
// summarizer to the session.

export {
  type AnthropicOptions,
  anthropic,
  type OllamaOptions,
  type OpenAiOptions,
  ollama,
  openAiCompatible,
} from './apis.js'
export { extractive } from './extractive.js'
export { summarizerFrom, withFallbacks } from './summarizer-from.js'
