// The OpenAPI document and the routes are the same.

import { expect, test } from 'vitest'
import { ROUTES } from '../../lib/server/routes.js'
import { startApp } from './client.js'

test('the document has every route, and no other', async (t) => {
  const { get } = await startApp(t)
  const { body } = await get('/api/openapi.json')
  expect(body.openapi).toBe('3.1.0')
  const listed = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const routes = ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(listed.sort()).toEqual(routes.sort())
  expect(new Set(routes).size).toBe(routes.length)
})

test('every parameter of a path is described', async (t) => {
  const { get } = await startApp(t)
  const { body } = await get('/api/openapi.json')
  for (const [path, operations] of Object.entries<Record<string, { parameters?: unknown[] }>>(
    body.paths,
  )) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const { parameters = [] } of Object.values(operations)) {
      const inPath = (parameters as { in: string; name: string }[]).filter(
        (one) => one.in === 'path',
      )
      expect(inPath.map(({ name }) => name)).toEqual(names)
    }
  }
})
