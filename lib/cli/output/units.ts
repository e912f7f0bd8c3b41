// Ages, sizes and counts as people say them.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago; a date for what is older than a month, and `missing` where there is no time. */
export function formatAge(time: string | null, now: number, missing = '-'): string {
  if (time === null) return missing
  const age = now - Date.parse(time)
  if (!Number.isFinite(age)) return '-'
  if (age < MINUTE) return 'just now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`
  const days = Math.floor(age / DAY)
  if (days <= 30) return days === 1 ? 'yesterday' : `${days} days ago`
  return time.slice(0, 10)
}

export function formatSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let size = bytes
  let unit = 0
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}

export function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

export function plural(count: number, word: string, many = `${word}s`): string {
  return `${count} ${count === 1 ? word : many}`
}

/** A count of anything in at most five characters. */
export function formatCount(count: number): string {
  if (count < 10_000) return String(count)
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`
  if (count < 1_000_000_000) return `${(count / 1_000_000).toFixed(1)}M`
  return `${(count / 1_000_000_000).toFixed(1)}G`
}

interface Cost {
  readonly microDollars: number
  readonly unpricedTokens: number
}

/** An amount; `+` after it where tokens have no known price, `?` where none has, `-` without tokens. */
export function formatCost(cost: Cost, tokens: number): string {
  return formatAmount(cost, tokens, (microDollars) => {
    const dollars = microDollars / 1_000_000
    return `$${dollars.toFixed(microDollars > 0 && dollars < 0.01 ? 4 : 2)}`
  })
}

/** The same in millionths of a dollar, for programs. */
export function formatMicroDollars(cost: Cost, tokens: number): string {
  return formatAmount(cost, tokens, String)
}

function formatAmount(
  { microDollars, unpricedTokens }: Cost,
  tokens: number,
  format: (microDollars: number) => string,
): string {
  if (tokens === 0) return '-'
  if (unpricedTokens >= tokens) return '?'
  return format(microDollars) + (unpricedTokens > 0 ? '+' : '')
}

/** How long something took: `45 s`, `12 min`, `3 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / 1000)} s`
  const minutes = Math.round(ms / MINUTE)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}
