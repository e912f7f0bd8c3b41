// All routes. A new one goes into a file of routes/ and into this list; the router, the OpenAPI document
// and the contract tests find it here.

import type { Route } from './route.js'
import { BROWSE_ROUTES } from './routes/browse.js'
import { CHECKPOINT_ROUTES } from './routes/checkpoints.js'
import { FOLLOW_ROUTES } from './routes/follow.js'
import { GREP_ROUTES } from './routes/grep.js'
import { HOOK_ROUTES } from './routes/hooks.js'
import { INFO_ROUTES } from './routes/info.js'
import { NOT_IMPLEMENTED_ROUTES } from './routes/not-implemented.js'
import { OPENAPI_ROUTES } from './routes/openapi.js'
import { RECALL_ROUTES } from './routes/recall.js'
import { SESSION_ROUTES } from './routes/session-state.js'
import { STATS_ROUTES } from './routes/stats.js'
import { STORE_SESSION_ROUTES } from './routes/store-sessions.js'
import { SUMMARY_ROUTES } from './routes/summaries.js'

export const ROUTES: readonly Route[] = [
  ...CHECKPOINT_ROUTES,
  ...HOOK_ROUTES,
  ...RECALL_ROUTES,
  ...SESSION_ROUTES,
  ...STORE_SESSION_ROUTES,
  ...SUMMARY_ROUTES,
  ...NOT_IMPLEMENTED_ROUTES,
  ...OPENAPI_ROUTES,
  ...INFO_ROUTES,
  ...BROWSE_ROUTES,
  ...FOLLOW_ROUTES,
  ...GREP_ROUTES,
  ...STATS_ROUTES,
]
