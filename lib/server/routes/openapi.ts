// The document of the API.

import * as z from 'zod'
import { route } from '../route.js'

export const OPENAPI_ROUTES = [
  route({
    method: 'GET',
    path: '/api/openapi.json',
    scope: 'read',
    summary: 'This document',
    response: z.looseObject({
      openapi: z.literal('3.1.0'),
      paths: z.record(z.string(), z.unknown()),
    }),
    run: ({ server }) => server.openApi(),
  }),
]
