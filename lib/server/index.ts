// Entry point of the HTTP server: the API of docs/SERVER.md over a store. A route maps to one call of a
// lower module; the server has no logic of its own and no state but what the logs hold.

export { createServerApp, type ServerApp, type ServerAppOptions } from './app.js'
export type { ServerToken } from './guards/tokens.js'
export type { Scope } from './route.js'
export { type RunningServer, type ServeOptions, serve } from './serve.js'
