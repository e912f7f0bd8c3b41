// The file of tokens: one on each line, `TOKEN [agent=ID] [scopes=read,recall,remember]`. A file that
// other users can read is refused.

import { createHash } from 'node:crypto'
import { isSessionError, SessionError, toReadError } from '../../errors.js'
import { AtomicFile } from '../../log/index.js'
import { readSmallText, type StoreContext } from '../../store/index.js'
import { SCOPES, type Scope } from '../route.js'
import type { ServerToken } from './tokens.js'

const BYTES_MAX = 64 * 1024
/** What group and others may do. */
const OTHERS = 0o077

/** Reads a file of tokens. */
export function readTokenFile(store: StoreContext, path: string): ServerToken[] {
  const { fs, host } = store.env
  try {
    const { mode } = fs.statSync(path)
    if (host.platform !== 'win32' && (mode & OTHERS) !== 0) {
      const what = `The token file ${path} is open to other users (mode ${(mode & 0o777).toString(8)}): chmod 600 ${path}`
      throw new SessionError('ERR_ARG', what, { path })
    }
  } catch (cause) {
    throw toReadError(cause, 'read the token file', path)
  }
  const lines = readSmallText(store, path, BYTES_MAX).toString().split('\n')
  const tokens = lines.flatMap((line, index) => {
    const text = line.trim()
    return text === '' || text.startsWith('#') ? [] : [parseLine(text, `${path}:${index + 1}`)]
  })
  if (tokens.length > 0) return tokens
  const what = `The token file ${path} has no token: remove it, and the next start writes a new one`
  throw new SessionError('ERR_ARG', what, { path })
}

/** Reads the file, or creates it with one token that may do everything. */
export function readOrCreateTokenFile(store: StoreContext, path: string): ServerToken[] {
  const { env } = store
  if (env.fs.statSync(path, { throwIfNoEntry: false }) === undefined) {
    try {
      const file = new AtomicFile(path, env, { makeFolder: true })
      try {
        file.write(Buffer.from(`${newToken(store)}\n`))
        file.finish()
      } finally {
        file.abandon()
      }
    } catch (error) {
      // Another server was quicker: both use its token.
      if (!isSessionError(error, 'ERR_EXISTS')) throw error
    }
  }
  return readTokenFile(store, path)
}

/** 244 random bits: two random uuids. */
function newToken({ env }: StoreContext): string {
  const random = env.newToken() + env.newToken()
  return createHash('sha256').update(random).digest('base64url')
}

const AGENT = /^agent=(\S+)$/
const SCOPE_LIST = /^scopes=([\w,]+)$/

function parseLine(line: string, place: string): ServerToken {
  const [token = '', ...settings] = line.split(/\s+/)
  let agent: string | undefined
  let scopes: readonly Scope[] | undefined
  for (const setting of settings) {
    const [, ofAgent] = AGENT.exec(setting) ?? []
    const [, list] = SCOPE_LIST.exec(setting) ?? []
    const words = list?.split(',') as Scope[] | undefined
    if (ofAgent !== undefined) agent = ofAgent
    else if (words?.every((word) => SCOPES.includes(word))) scopes = words
    else {
      const what = `${place}: after the token come agent=ID and scopes=${SCOPES.join(',')}, not "${setting}"`
      throw new SessionError('ERR_ARG', what)
    }
  }
  return { token, agent, scopes }
}
