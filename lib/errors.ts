// Every failure a caller may wish to act on, in one list.
//
// A code keeps its meaning within a major version; a message may change any day. An argument
// of the wrong type is a TypeError without a code: a bug to fix, not a state to catch.

/**
 * Code → what to do next; the sentence ends the message. Empty where no advice fits every error of the
 * code: the message itself says what to do then.
 */
export const ERROR_REMEDIES = {
  ERR_ARG: '',
  ERR_NOT_FOUND: '',
  ERR_AMBIGUOUS: 'Type more characters of the id, or name the session.',
  ERR_EXISTS: 'Choose another id, or open the existing one.',
  ERR_LOCKED: 'Wait for the holder to finish, or stop that process.',
  ERR_LOCK_OBSTRUCTED: 'Inspect what is at the lock path and remove it by hand.',
  ERR_FILE_REPLACED:
    'Open the log again: this writer does not write into a file that replaced its own.',
  ERR_NO_SPACE:
    'Free some space and append again; the log is whole up to the last acknowledged event.',
  ERR_READ_ONLY: 'Make the folder writable for this user, or choose another root.',
  ERR_IO: '',
  ERR_DURABILITY_UNKNOWN:
    'Open the log again and append the events once more by uuid; this handle stays closed for writing.',
  ERR_UNSAFE_PATH:
    'Use a regular file with one name, in a folder that only its owner may write to.',
  ERR_UUID_CONFLICT: 'Use a new uuid; the old event is unchanged.',
  ERR_FORMAT_TOO_NEW: 'Upgrade jsonl-session; this version only reads such a file.',
  ERR_DAMAGED: 'Read without strict to see what is whole, or run `jsonl-session verify`.',
  ERR_APPEND_PARTIAL: 'Append again: the next line seals off the fragment.',
  ERR_LINE_TOO_LARGE: 'Store the large part in a file of its own and append a reference to it.',
  ERR_SERIALIZE: 'Turn the value into plain JSON first.',
  ERR_UNKNOWN_PREV: 'Leave prev_uuid out to continue from the tip.',
  ERR_PERMISSION_STATE: 'Keep permissions in memory: every session grants them anew.',
  ERR_WRONG_LOG_KIND: 'Append the event to a log of its own kind.',
  ERR_CLAIMED: 'Let the other runtime path end the session, or wait until its claim expires.',
  ERR_COMPACTION_BUSY: 'Wait until the running compaction has ended.',
  ERR_COMPACTION_RACE: 'Run the compaction again.',
  ERR_NOTHING_TO_COMPACT: 'Continue without compacting.',
  ERR_SUMMARIZER: 'Check that the summarizer runs and answers, or name another one.',
  ERR_SETTINGS: 'Correct the file by hand, or name another with --settings; it was left as it is.',
  ERR_MISSING_PACKAGE: 'Install it next to jsonl-session (with -g if that is global).',
  ERR_SUBAGENT_LIMIT: 'Finish the subagent, or raise maxSidechainBytes.',
  ERR_SPAWN_DEPTH: 'Spawn from a session nearer to the root.',
  ERR_CLOSED: 'Open the log again.',
  ERR_ADDRESS: '',
  ERR_WRONG_HOST: 'Name it with --allow-host when you start the server.',
  ERR_UNAUTHORIZED: 'Send `Authorization: Bearer TOKEN`, with the token of the token file.',
  ERR_FORBIDDEN: '',
  ERR_METHOD: '',
  ERR_MEDIA_TYPE: 'Send `Content-Type: application/json`.',
  ERR_TOO_LARGE: 'Send less at once.',
  ERR_RATE_LIMITED: 'Wait as long as Retry-After says.',
  ERR_NOT_IMPLEMENTED: '',
  ERR_TIMEOUT: 'Ask for less, or try again later.',
  ERR_INTERNAL: 'The log of the server has the reason, under the id of the request.',
} as const

export type SessionErrorCode = keyof typeof ERROR_REMEDIES

export type ErrorDetails = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * A failure that a caller may want to act on: a stable `code`, a message that says what to do next,
 * details.
 */
export class SessionError extends Error {
  readonly code: SessionErrorCode
  readonly details: ErrorDetails

  constructor(
    code: SessionErrorCode,
    what: string,
    { cause, ...details }: { cause?: unknown } & Record<string, unknown> = {},
  ) {
    const remedy = ERROR_REMEDIES[code]
    const message = remedy === '' ? what : `${what}. ${remedy}`
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details as ErrorDetails
  }

  // On the prototype, so that it is inherited and does not clutter every printed error.
  static {
    SessionError.prototype.name = 'SessionError'
  }
}

/** Returns whether an error is a `SessionError`, of this code if one is given. */
export function isSessionError(error: unknown, code?: SessionErrorCode): error is SessionError {
  return error instanceof SessionError && (code === undefined || error.code === code)
}

// EDQUOT reaches Node as `UNKNOWN` with this number on Linux.
const EDQUOT = -122

const CODE_BY_ERRNO: Readonly<Record<string, SessionErrorCode>> = {
  ENOSPC: 'ERR_NO_SPACE',
  EDQUOT: 'ERR_NO_SPACE',
  EFBIG: 'ERR_NO_SPACE',
  EROFS: 'ERR_READ_ONLY',
  EACCES: 'ERR_READ_ONLY',
  EPERM: 'ERR_READ_ONLY',
  ELOOP: 'ERR_UNSAFE_PATH',
  EISDIR: 'ERR_UNSAFE_PATH',
  ENOENT: 'ERR_NOT_FOUND',
}

/** Turns what `node:fs` threw into an error of this catalogue; one of ours passes unchanged. */
export function toSessionError(cause: unknown, doing: string, path: string): SessionError {
  if (cause instanceof SessionError) return cause
  const { code = 'UNKNOWN', errno } = cause as NodeJS.ErrnoException
  const ours = errno === EDQUOT ? 'ERR_NO_SPACE' : (CODE_BY_ERRNO[code] ?? 'ERR_IO')
  const reason = errno === EDQUOT ? 'EDQUOT' : code
  return new SessionError(ours, `Could not ${doing} ${path} (${reason})`, {
    cause,
    path,
    errno: reason,
  })
}

/** The same for readers, to whom a forbidden file does not mean that they should write it. */
export function toReadError(cause: unknown, doing: string, path: string): SessionError {
  const { code } = cause as NodeJS.ErrnoException
  if (code !== 'EACCES' && code !== 'EPERM') return toSessionError(cause, doing, path)
  const what = `Cannot ${doing} ${path}: permission denied (${code}). Make it readable for this user`
  return new SessionError('ERR_IO', what, { cause, path, errno: code })
}
