// How long "at once" may take in a test. Who waited for a lock in vain would have waited for its
// timeout, five seconds, or until it is stale, ten; a busy machine takes a second now and then.

export const AT_ONCE_MS = 4000
