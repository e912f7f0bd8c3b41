// Numbers that callers may leave out or exaggerate.

export interface Range {
  readonly least: number
  readonly most: number
  /** For one that is not given, or not finite. */
  readonly otherwise: number
}

/** The whole number inside the range that is nearest. */
export function clamp(name: string, value: number | undefined, range: Range): number {
  const { least, most, otherwise } = range
  if (value === undefined) return otherwise
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number`)
  if (!Number.isFinite(value)) return otherwise
  return Math.min(most, Math.max(least, Math.trunc(value)))
}
