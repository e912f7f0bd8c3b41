// A request needs a token: every user of the machine can reach its loopback address, and logs are
// private.

import { createHash, timingSafeEqual } from 'node:crypto'
import { SessionError } from '../../errors.js'
import { SCOPES, type Scope } from '../route.js'

/** The agent of a token that may name any. */
export const ANY_AGENT = '*'

/** A secret, and what it allows. */
export interface ServerToken {
  readonly token: string
  /**
   * Whose sessions it reaches; `*` for those of every agent, named by the request.
   *
   * @default '*'
   */
  readonly agent?: string | undefined
  /**
   * `read`: what is stored; `recall`: searches; `remember`: what hooks record.
   *
   * @default all of them
   */
  readonly scopes?: readonly Scope[] | undefined
}

export interface KnownToken {
  /** What logs and limits know it by: never the secret. */
  readonly name: string
  readonly agent: string
  readonly scopes: readonly Scope[]
}

const CHARS_MIN = 16

/** Finds the token of a request. It takes the same time for every secret that is wrong. */
export class TokenList {
  readonly #known: readonly (KnownToken & { readonly hash: Buffer })[]

  constructor(tokens: readonly ServerToken[]) {
    if (tokens.length === 0) throw new SessionError('ERR_ARG', 'The server needs a token')
    this.#known = tokens.map(({ token, agent = ANY_AGENT, scopes = SCOPES }, index) => {
      if (token.length < CHARS_MIN || !/^[\x21-\x7e]+$/.test(token)) {
        const what = `A token is ${CHARS_MIN} or more printable ASCII characters without spaces`
        throw new SessionError('ERR_ARG', what)
      }
      return { name: `token-${index + 1}`, agent, scopes, hash: hashOf(token) }
    })
  }

  /** Throws ERR_UNAUTHORIZED without a known token. */
  find(headers: Headers): KnownToken {
    const [, given] =
      /^Bearer ([\x21-\x7e]{1,1000})$/i.exec(headers.get('authorization') ?? '') ?? []
    const hash = hashOf(given ?? '')
    let found: KnownToken | undefined
    // Every one is compared, also after a match.
    for (const one of this.#known) if (timingSafeEqual(one.hash, hash)) found = one
    if (found !== undefined && given !== undefined) return found
    const what = given === undefined ? 'The request has no token' : 'The token is not known'
    throw new SessionError('ERR_UNAUTHORIZED', what)
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
