// Numbers, times and sizes as people read them.

export function formatTime(ts: string | null | undefined): string {
  const date = new Date(ts ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return date.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' })
}

export function formatAge(ts: string | null | undefined, now: number): string {
  const seconds = (now - new Date(ts ?? '').getTime()) / 1000
  if (!Number.isFinite(seconds)) return ''
  if (seconds < 60) return 'now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return ''
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

export function formatNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : value.toLocaleString('en-US')
}

/** `3 turns`; nothing for a figure that is not known. */
export function formatCount(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return ''
  return `${formatNumber(value)} ${value === 1 ? unit : `${unit}s`}`
}

export function formatTokens(value: number | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (value < 1000) return `${value} tokens`
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)}k tokens`
  return `${(value / 1_000_000).toFixed(1)}M tokens`
}

export function formatCost(microUsd: number | null | undefined): string {
  if (microUsd === null || microUsd === undefined) return ''
  const dollars = microUsd / 1_000_000
  return `$${dollars < 0.1 ? dollars.toFixed(4) : dollars.toFixed(2)}`
}

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return ''
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
