// Entry point of the module that calls models. No other module imports it: the caller passes a
// summarizer to the session.

export { type AnthropicOptions, anthropic } from './anthropic.js'
export { extractive } from './extractive.js'
export { type OllamaOptions, ollama } from './ollama.js'
export { type OpenAiOptions, openAiCompatible } from './open-ai.js'
export { summarizerFrom } from './summarizer-from.js'
export { withFallbacks } from './with-fallbacks.js'
