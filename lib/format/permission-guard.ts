// Trust is given anew in every session, so nothing here may help to save it.
//
// Types and top-level payload keys that look like permission state are refused. Text and nested
// fields are not judged: `input.permissions: "0644"` is a file mode, not a grant.

import { SessionError } from '../errors.js'

const TYPE = /^(?:permission|approval)/i
const KEY =
  /^(?:permissions?|permission_?mode|permission_?ledger|permission_?rules|permission_?suggestions|allowed_?tools|allow_?rules|always_?allow|trust_.*|approvals|bypass_?permissions)$/i

/** Keys repeat from event to event, so the answer is kept; bounded, because callers may invent them. */
const verdicts = new Map<string, boolean>()
const VERDICTS_MAX = 1024

export function isPermissionKey(key: string): boolean {
  let verdict = verdicts.get(key)
  if (verdict === undefined) {
    verdict = KEY.test(key)
    if (verdicts.size >= VERDICTS_MAX) verdicts.clear()
    verdicts.set(key, verdict)
  }
  return verdict
}

export function assertNoPermissionType(type: string): void {
  if (TYPE.test(type)) throw permissionError(`the type "${type}"`, type)
}

export function assertNoPermissionKeys(type: string, payload: object): void {
  for (const key in payload) {
    if (isPermissionKey(key)) throw permissionError(`the field payload.${key}`, type)
  }
}

function permissionError(what: string, type: string): SessionError {
  return new SessionError('ERR_PERMISSION_STATE', `Permission state is never written: ${what}`, {
    type,
  })
}
