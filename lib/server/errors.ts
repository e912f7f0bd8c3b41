// How a failure is answered: a status, and an object of the same shape for every route.

import * as z from 'zod'
import {
  type ErrorDetails,
  isSessionError,
  SessionError,
  type SessionErrorCode,
  toSessionError,
} from '../errors.js'

/** The body of every answer that is not a success. */
export const errorSchema = z.object({
  error: z.object({
    code: z.string().describe('One of docs/ERRORS.md'),
    message: z.string(),
    requestId: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
})

const STATUS: Partial<Record<SessionErrorCode, number>> = {
  ERR_ARG: 400,
  ERR_UNAUTHORIZED: 401,
  ERR_FORBIDDEN: 403,
  ERR_NOT_FOUND: 404,
  ERR_METHOD: 405,
  ERR_AMBIGUOUS: 409,
  ERR_EXISTS: 409,
  ERR_CLAIMED: 409,
  ERR_UUID_CONFLICT: 409,
  ERR_FILE_REPLACED: 409,
  ERR_UNSAFE_PATH: 409,
  ERR_DAMAGED: 409,
  ERR_FORMAT_TOO_NEW: 409,
  ERR_TOO_LARGE: 413,
  ERR_LINE_TOO_LARGE: 413,
  ERR_MEDIA_TYPE: 415,
  ERR_WRONG_HOST: 421,
  ERR_SERIALIZE: 422,
  ERR_PERMISSION_STATE: 422,
  ERR_RATE_LIMITED: 429,
  ERR_NOT_IMPLEMENTED: 501,
  ERR_LOCKED: 503,
  ERR_TIMEOUT: 503,
  ERR_NO_SPACE: 507,
}

export interface Failure {
  readonly status: number
  readonly code: SessionErrorCode
  readonly message: string
  readonly details: ErrorDetails
}

/** What a client may know of a failure. The reason of an unexpected one stays in the log of the server. */
export function toFailure(thrown: unknown): Failure {
  const error = known(thrown)
  const { code, message, details } = error
  return { status: STATUS[code] ?? 500, code, message, details }
}

function known(thrown: unknown): SessionError {
  if (isSessionError(thrown)) return thrown
  const { syscall, path, name } = thrown as NodeJS.ErrnoException
  if (name === 'AbortError') return new SessionError('ERR_TIMEOUT', 'The request was aborted')
  if (syscall !== undefined) return toSessionError(thrown, syscall, path ?? 'the store')
  return new SessionError('ERR_INTERNAL', 'The request failed for a reason that is not known')
}

export function errorBody({ code, message, details }: Failure, requestId: string) {
  const isDetailed = Object.values(details).some((value) => value !== undefined)
  return { error: { code, message, requestId, ...(isDetailed && { details }) } }
}
