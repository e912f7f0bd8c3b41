// The door of the room that talks to models. No other room comes here: a summarizer is handed over
// by whoever wants one used.

export { type AnthropicOptions, anthropic } from './anthropic.js'
export { extractive } from './extractive.js'
export { type OllamaOptions, ollama } from './ollama.js'
export { type OpenAiOptions, openAiCompatible } from './open-ai.js'
export { summarizerFrom } from './summarizer-from.js'
export { withFallbacks } from './with-fallbacks.js'
