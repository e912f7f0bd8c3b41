// Trust is given anew in every session, so nothing here may help to save it.
//
// A type, or a key at any depth, that names permission state is refused. Names are compared whole, in
// lower case and without - and _, never by a part of them. What a tool was given or has answered is
// not judged, and neither is text: `input.permissions: "0644"` is a file mode, not a grant.

import { SessionError } from '../errors.js'
import { NESTING_MAX } from './limits.js'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const SUBJECTS = words('permission permissions approval approvals trust grant')
const ASPECTS = words(`
  allowlist change changed config context decision decisions denied denylist given grant granted grants
  ledger level levels list map mode modes policies policy profile profiles prompt request requested
  requests resolved response responses result results reviewer revoked rule rules scope scopes set
  setting settings state states status store suggestion suggestions table update updated updates`)
const HOLDERS = words(`
  active always bypass command current dangerouslyskip default effective file filesystem granted initial
  mcp pending project request requested requestedtool sandbox session skip tool tools user workspace`)
const HELD = words(`
  approval approvals permission permissionmode permissionpolicy permissionprofile permissionrules
  permissions permissionsmode`)

const KEYS = new Set([
  'permission',
  'permissions',
  'approval',
  'approvals',
  'grants',
  ...SUBJECTS.flatMap((subject) => ASPECTS.map((aspect) => subject + aspect)),
  ...HOLDERS.flatMap((holder) => HELD.map((held) => holder + held)),
  ...words(`
    allowalways allowedcommands allowedprompts allowedtools allowrule allowrules alwaysallow
    alwaysallowed alwaysallowrules alwaysapprove alwaysask alwaysaskrules alwaysdeny alwaysdenyrules
    approvedcommands approvedprefixes approvedtools askforapproval askrule askrules autoallow
    autoapproval autoapprove autoapproved bypassapprovals bypasspermissionsmodeaccepted
    dangerouslyallowall dangerouslybypassapprovalsandsandbox dangerouslydisablesandbox deniedtools
    denyrule denyrules disallowedtools execpolicies execpolicy execpolicyamendment execpolicyrules
    filesystemsandboxpolicy grantedroots grantedscopes grantedtools grantroot hastrustdialogaccepted
    networkpolicies networkpolicy networksandboxpolicy proposedexecpolicyamendment sandbox sandboxconfig
    sandboxmode sandboxpolicies sandboxpolicy sandboxprofile sandboxrules sandboxsettings
    sandboxworkspacewrite toolallowlist trustedcommands trustedfolders trustedprojects trustedtools
    trustedworkspaces windowssandboxlevel yolomode`),
])

const TYPES = new Set([
  ...KEYS,
  ...words(`
    allow allowed applypatchapprovalrequest approve approved automode deny denied execapprovalrequest
    grant granted mcpapprovalrequest mcpapprovalresponse revoke revoked trust trusted`),
])

// Under these keys is what a tool was given or has answered.
const FREE = new Set(
  words(`
    args arguments functionresponse input output result toolinput tooloutput toolresponse toolresult
    tooluseresult`),
)
const FREE_IN_RESULT = new Set(words('content details'))
// How providers call a block or a message that holds the answer of a tool, as its type or its role.
const RESULTS = new Set(
  words('customtoolcalloutput functioncalloutput mcptoolresult tool toolresult'),
)

function normalize(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

/** Keys repeat from event to event, so the answer is kept; bounded, because callers may invent them. */
function remember<Answer>(ask: (name: string) => Answer): (name: string) => Answer {
  const answers = new Map<string, Answer>()
  return (name) => {
    let answer = answers.get(name)
    if (answer === undefined) {
      answer = ask(name)
      if (answers.size >= ANSWERS_MAX) answers.clear()
      answers.set(name, answer)
    }
    return answer
  }
}

const ANSWERS_MAX = 1024

type KeyKind = 'permission' | 'free' | 'free in a result' | 'plain'

const kindOf = remember<KeyKind>((key) => {
  const name = normalize(key)
  if (KEYS.has(name)) return 'permission'
  if (FREE.has(name)) return 'free'
  return FREE_IN_RESULT.has(name) ? 'free in a result' : 'plain'
})

const isResultName = remember((name) => RESULTS.has(normalize(name)))

export function isPermissionKey(key: string): boolean {
  return kindOf(key) === 'permission'
}

/** Of a type with a namespace, the name behind it counts, too. */
export const isPermissionType = remember((type) => {
  const parts = type.split(/[:.]/)
  const names = [parts.join(''), parts.slice(1).join(''), parts.at(-1)!]
  return names.some((name) => TYPES.has(normalize(name)))
})

const IMPORT_COUNTS: readonly string[] = ['dropped', 'uninterpreted']

/**
 * Which part of an event is permission state, in words; `undefined` if none is. The counts of an
 * import are not: they name what was left out.
 */
export function findPermissionState(type: string, payload: object): string | undefined {
  if (isPermissionType(type)) return `the type "${type}"`
  const skipped = type === 'imported' ? IMPORT_COUNTS : undefined
  const path = findKey(payload, 1, type === 'tool_result', skipped)
  return path === undefined || path.endsWith(TOO_DEEP) ? undefined : `the field payload.${path}`
}

// Ends the walk: such a payload is refused anyway, and in a cycle the walk would not end by itself.
const TOO_DEEP = '\0'

function findKey(
  value: object,
  depth: number,
  isResult: boolean,
  skipped?: readonly string[] | undefined,
): string | undefined {
  if (depth > NESTING_MAX) return TOO_DEEP
  for (const key in value) {
    const kind = kindOf(key)
    if (kind === 'permission') return key
    const member: unknown = (value as Record<string, unknown>)[key]
    if (typeof member !== 'object' || member === null || skipped?.includes(key)) continue
    if (isFree(kind, value, isResult)) continue
    const path = Array.isArray(member)
      ? findInList(member, depth + 1)
      : findKey(member, depth + 1, false)
    if (path !== undefined) return `${key}.${path}`
  }
  return undefined
}

function findInList(list: readonly unknown[], depth: number): string | undefined {
  if (depth > NESTING_MAX) return TOO_DEEP
  for (let index = 0; index < list.length; index++) {
    const member = list[index]
    if (typeof member !== 'object' || member === null) continue
    const path = Array.isArray(member)
      ? findInList(member, depth + 1)
      : findKey(member, depth + 1, false)
    if (path !== undefined) return `${index}.${path}`
  }
  return undefined
}

function isFree(kind: KeyKind, holder: object, isResult: boolean): boolean {
  if (kind !== 'free in a result') return kind === 'free'
  return isResult || isToolResult(holder)
}

function isToolResult(value: object): boolean {
  const { type, role } = value as { type?: unknown; role?: unknown }
  return (
    (typeof type === 'string' && isResultName(type)) ||
    (typeof role === 'string' && isResultName(role))
  )
}

/** The value without permission state, and how many fields were left out; itself, if there are none. */
export function withoutPermissionState<Value>(
  value: Value,
  { isResult = false }: { isResult?: boolean | undefined } = {},
): { readonly value: Value; readonly removed: number } {
  let removed = 0
  return { value: strip(value, isResult, 0) as Value, removed }

  function strip(part: unknown, isInResult: boolean, depth: number): unknown {
    if (typeof part !== 'object' || part === null || depth > NESTING_MAX) return part
    let copy: Record<string, unknown> | undefined
    for (const [key, member] of Object.entries(part)) {
      const kind = Array.isArray(part) ? 'plain' : kindOf(key)
      if (kind === 'permission') {
        removed++
        copy ??= { ...part }
        delete copy[key]
        continue
      }
      if (typeof member !== 'object' || member === null || isFree(kind, part, isInResult)) continue
      const kept = strip(member, false, depth + 1)
      if (kept === member) continue
      copy ??= (Array.isArray(part) ? [...part] : { ...part }) as Record<string, unknown>
      copy[key] = kept
    }
    return copy ?? part
  }
}

export function assertNoPermissionState(type: string, payload: object): void {
  const what = findPermissionState(type, payload)
  if (what === undefined) return
  throw new SessionError('ERR_PERMISSION_STATE', `Permission state is never written: ${what}`, {
    type,
  })
}
