// The door of the room that listens to the hooks of a harness.

export { type HookAnswer, type HookCall, runHook } from './run-hook.js'
