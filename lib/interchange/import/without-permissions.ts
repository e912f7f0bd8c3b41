// Removes permission state, at any depth, from records that are otherwise kept unchanged: it is
// never stored, so an import cannot grant rights again. Spoken content and tool input stay.

import { isPermissionKey } from '../../format/index.js'

const KEY =
  /^(?:permission|approval|sandbox|exec_?policy|network_?policy|bypass_?permissions|dangerously)/i
const SPOKEN = new Set(['content', 'input', 'text', 'arguments', 'args', 'output', 'message'])

export interface Stripped {
  readonly value: unknown
  readonly isStripped: boolean
}

export function withoutPermissions(value: unknown): Stripped {
  let isStripped = false
  const stripped = strip(value, 0)
  return { value: stripped, isStripped }

  function strip(part: unknown, depth: number): unknown {
    if (typeof part !== 'object' || part === null || depth > DEPTH_MAX) return part
    if (Array.isArray(part)) return part.map((member) => strip(member, depth + 1))
    const kept: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(part)) {
      if (isPermission(key)) isStripped = true
      else kept[key] = SPOKEN.has(key) ? member : strip(member, depth + 1)
    }
    return kept
  }
}

// The log rejects deeper values.
const DEPTH_MAX = 512

export function isPermission(key: string): boolean {
  return KEY.test(key) || isPermissionKey(key)
}
