// Times of other programs, in the one spelling of ours.

const OURS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** `undefined` for what is no time; numbers are milliseconds, or seconds where they are small. */
export function toTime(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const time = Date.parse(value)
    if (Number.isNaN(time)) return undefined
    return OURS.test(value) ? value : isoOf(time)
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return undefined
  return isoOf(value < 1e11 ? value * 1000 : value)
}

function isoOf(time: number): string | undefined {
  const date = new Date(time)
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString()
  return OURS.test(text) ? text : undefined
}
