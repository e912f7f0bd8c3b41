// Entry point of the module for the hooks of a harness.

export type { HookAnswer } from './read-input.js'
export { type HookCall, runHook } from './run-hook.js'
