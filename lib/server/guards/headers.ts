// Headers of every answer. No inline script, nothing from elsewhere, no frame, no cookie.

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

const REQUEST_ID = /^[\w.-]{1,64}$/

/** The id that the client sent, if it is one that fits into a log line, or a new one. */
export function requestIdOf(headers: Headers, newUuid: () => string): string {
  const given = headers.get('x-request-id')
  return given !== null && REQUEST_ID.test(given) ? given : newUuid()
}
