// Texts cut to a length, without half characters.

/** Keeps both ends and says how much is missing; what matters of long outputs is often at the end. */
export function clipMiddle(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text.toWellFormed()
  const marker = ` […${text.length - charsMax} characters left out…] `
  const room = Math.max(0, charsMax - marker.length)
  const head = Math.ceil(room * 0.7)
  const tail = room - head
  return `${endWhole(text.slice(0, head))}${marker}${tail === 0 ? '' : startWhole(text.slice(-tail))}`
}

/** Keeps the beginning. */
export function clipEnd(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text.toWellFormed()
  return `${endWhole(text.slice(0, Math.max(0, charsMax - 1)))}…`
}

function endWhole(text: string): string {
  return (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text).toWellFormed()
}

function startWhole(text: string): string {
  return (/^[\udc00-\udfff]/.test(text) ? text.slice(1) : text).toWellFormed()
}
