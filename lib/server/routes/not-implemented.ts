// Routes of the original API that need its database of memories. They say so, instead of being unknown.

import * as z from 'zod'
import { SessionError } from '../../errors.js'
import { type Route, route } from '../route.js'

const PATHS = [
  ['GET', '/api/hooks/synthesis/config'],
  ['POST', '/api/hooks/synthesis'],
  ['POST', '/api/hooks/synthesis/complete'],
] as const

export const NOT_IMPLEMENTED_ROUTES: readonly Route[] = PATHS.map(([method, path]) =>
  route({
    method,
    path,
    scope: method === 'GET' ? 'read' : 'remember',
    summary: 'Not supported: it needs a database of memories',
    response: z.never(),
    failures: [501],
    run: () => {
      const what = 'There is no MEMORY.md here: use /api/sessions/summaries and /api/hooks/recall'
      throw new SessionError('ERR_NOT_IMPLEMENTED', what)
    },
  }),
)
