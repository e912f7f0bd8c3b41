// All routes. A new one goes into a file of routes/ and into this list; the router, the OpenAPI document
// and the contract tests find it here.

import type { Route } from './route.js'
import { CHECKPOINT_ROUTES } from './routes/checkpoints.js'
import { OPENAPI_ROUTES } from './routes/openapi.js'

export const ROUTES: readonly Route[] = [...CHECKPOINT_ROUTES, ...OPENAPI_ROUTES]
