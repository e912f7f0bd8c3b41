// The files of the viewer: `/` and `/assets/*` of one folder. They hold no session, so they need no token.

import { join } from 'node:path'
import { isSessionError, SessionError } from '../errors.js'
import { readSmallText, type StoreContext } from '../store/index.js'

const BYTES_MAX = 16 * 1024 * 1024

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

const NOT_BUILT = `jsonl-session serve

The API answers at /api; its document is /api/openapi.json.
The page that shows sessions is not part of this build.
`

// The names contain a hash of the content, so the content of a name never changes.
const ASSET = /^\/assets\/([\w.-]+)\.(\w+)$/
const FOREVER = 'public, max-age=31536000, immutable'

/** Throws ERR_NOT_FOUND for any other path. */
export function readAsset(store: StoreContext, folder: string | undefined, path: string): Response {
  const [, name, extension] = ASSET.exec(path) ?? []
  if (path === '/' || path === '/index.html') {
    const page = readBytes(store, folder, 'index.html')
    const headers = { 'cache-control': 'no-cache' }
    if (page !== undefined) {
      return new Response(page, { headers: { ...headers, 'content-type': TYPES['html']! } })
    }
    return new Response(NOT_BUILT, { headers: { ...headers, 'content-type': 'text/plain' } })
  }
  const type = TYPES[extension ?? '']
  const bytes =
    type === undefined || name!.startsWith('.')
      ? undefined
      : readBytes(store, folder, join('assets', `${name}.${extension}`))
  if (bytes === undefined) throw new SessionError('ERR_NOT_FOUND', 'There is no such page')
  return new Response(bytes, { headers: { 'cache-control': FOREVER, 'content-type': type! } })
}

function readBytes(
  store: StoreContext,
  folder: string | undefined,
  name: string,
): Uint8Array<ArrayBuffer> | undefined {
  if (folder === undefined) return undefined
  try {
    const bytes = readSmallText(store, join(folder, name), BYTES_MAX)
    return new Uint8Array(bytes)
  } catch (error) {
    if (isSessionError(error, 'ERR_NOT_FOUND')) return undefined
    throw error
  }
}
