// Half a surrogate pair is legal in JSON and in JavaScript, but not in UTF-8: providers refuse it.
// Strings are mended on a copy, keys included. Without recursion: payloads come from files, and
// nesting that no stack could follow is legal JSON, too.

/** The same value where nothing is wrong with it, else a mended copy. */
export function toWellFormed(value: unknown): unknown {
  return isWellFormed(value) ? value : mendedCopy(value)
}

function isWellFormed(value: unknown): boolean {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string' && !next.isWellFormed()) return false
    if (typeof next !== 'object' || next === null) continue
    for (const [key, member] of Object.entries(next)) {
      if (!key.isWellFormed()) return false
      if (typeof member === 'string' || typeof member === 'object') waiting.push(member)
    }
  }
  return true
}

function mendedCopy(value: unknown): unknown {
  const top: { value?: unknown } = {}
  const waiting: { into: object; key: string; from: unknown }[] = []
  waiting.push({ into: top, key: 'value', from: value })
  while (waiting.length > 0) {
    const { into, key, from } = waiting.pop()!
    const copy = shallowCopy(from)
    Object.defineProperty(into, key, { value: copy, ...PLAIN })
    if (typeof from !== 'object' || from === null) continue
    for (const [name, member] of Object.entries(from)) {
      // Set at once, so that the order of the keys stays what it was.
      const mended = name.toWellFormed()
      Object.defineProperty(copy, mended, { value: null, ...PLAIN })
      waiting.push({ into: copy as object, key: mended, from: member })
    }
  }
  return top.value
}

// A key may be `__proto__`, which assigning would not store.
const PLAIN = { enumerable: true, writable: true, configurable: true }

function shallowCopy(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? [] : {}
}
