// Compares what a client sends on resume with what we would send after an import of the same session.

import { isDeepStrictEqual } from 'node:util'

/**
 * `wording`: rules for texts that a client makes anew on every resume, `{ name, theirs, ours }` with a
 * regular expression for each side; nothing else counts as wording. What the first group of each
 * expression matched must be equal, so that only the text around it may differ.
 *
 * @returns `{ verdict: 'equal' | 'wording' | 'wrong', diff, rules }`; `diff` has lines with `-` (the
 *   client) and `+` (we), `rules` the names of the wording rules that were used.
 */
export function compareMessages(theirs, ours, wording = []) {
  const rules = new Set()
  const isSame = (a, b) => isDeepStrictEqual(canonical(a), canonical(likewise(a, b)))
  const isWording = (a, b) => {
    const rest = ({ text: _, ...others }) => canonical(others)
    if (!isDeepStrictEqual(rest(a), rest(likewise(a, b)))) return false
    const rule = wording.find((one) => {
      const [theirs, ours] = [one.theirs.exec(a.text ?? ''), one.ours.exec(b.text ?? '')]
      return theirs !== null && ours !== null && theirs[1] === ours[1]
    })
    if (rule !== undefined) rules.add(rule.name)
    return rule !== undefined
  }
  const pairs = align(theirs, ours, (a, b) => isSame(a, b) || isWording(a, b))
  const diff = pairs.flatMap(([a, b]) => {
    if (a !== undefined && b !== undefined) return isSame(a, b) ? [] : [`~ ${show(a)} | ${show(b)}`]
    return a === undefined ? [`+ ${show(b)}`] : [`- ${show(a)}`]
  })
  const isWrong = pairs.some(([a, b]) => a === undefined || b === undefined)
  rules.clear()
  for (const [a, b] of pairs)
    if (a !== undefined && b !== undefined && !isSame(a, b)) isWording(a, b)
  const verdict = isWrong ? 'wrong' : diff.length === 0 ? 'equal' : 'wording'
  return { verdict, diff, rules: [...rules] }
}

/** `isError: null`: the client's protocol does not say whether a result is an error, so ours may be either. */
function likewise(theirs, ours) {
  return theirs.isError === null && ours.kind === 'result' ? { ...ours, isError: null } : ours
}

/** The longest common subsequence; an entry without a partner has `undefined` beside it. */
function align(a, b, matches) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i][j] = matches(a[i], b[j])
        ? lengths[i + 1][j + 1] + 1
        : Math.max(lengths[i + 1][j], lengths[i][j + 1])
    }
  }
  const pairs = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && matches(a[i], b[j])) pairs.push([a[i++], b[j++]])
    else if (i < a.length && (j >= b.length || lengths[i + 1][j] >= lengths[i][j + 1])) {
      pairs.push([a[i++], undefined])
    } else pairs.push([undefined, b[j++]])
  }
  return pairs
}

function canonical(value) {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, canonical(field)]),
  )
}

function show(entry) {
  const { role, kind, text, ...rest } = entry
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  return `${role} ${kind} ${JSON.stringify(text ?? '').slice(0, 160)}${more.slice(0, 160)}`
}
