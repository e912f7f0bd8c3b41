// What this server is, and what the token of the request may do.

import * as z from 'zod'
import { PACKAGE_VERSION } from '../../version.js'
import { route, SCOPES } from '../route.js'
import { agentId } from './fields.js'

export const INFO_ROUTES = [
  route({
    method: 'GET',
    path: '/api/info',
    scope: 'read',
    summary: 'What this server is, and what the token may do',
    query: z.object({ agent_id: agentId }),
    response: z.object({
      version: z.string(),
      agent: z.string(),
      scopes: z.array(z.enum(SCOPES)),
      allowWrite: z.boolean(),
      allowSecrets: z.boolean(),
    }),
    run: ({ store: { agent }, scopes, server: { allowWrite, allowSecrets } }) => ({
      version: PACKAGE_VERSION,
      agent,
      scopes,
      allowWrite,
      allowSecrets,
    }),
  }),
]
