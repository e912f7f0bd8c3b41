// Which session is meant, among those that have a transcript and those that are only claimed yet.

import { existsSync } from 'node:fs'
import { isExpired } from './claim-state.js'
import { type ClaimOptions, viewClaims } from './decide-claim.js'
import { refuseSkipped } from './refuse-unreadable.js'
import { digestTranscript, isSkipped } from './session-digest.js'
import { findTranscript } from './transcripts.js'

/** Its whole id. By the beginning of an id only sessions with a transcript are found. */
export function findKnownSession(session: string, options: ClaimOptions): string {
  const { key, now, layout, state } = viewClaims(session, options)
  const isClaimed = state.claim !== undefined && !isExpired(state.claim, now)
  if (isClaimed || existsSync(layout.transcriptPath(key))) return key
  const path = findTranscript(session, options)
  const digest = digestTranscript(path)
  return isSkipped(digest) ? refuseSkipped(digest) : digest.session_id
}
