// Colours on terminals, unless refused; elsewhere only if FORCE_COLOR is set.

import picocolors from 'picocolors'
import type { Call } from '../command.js'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Leaves every text as it is. */
export const NO_COLORS: Colors = picocolors.createColors(false)

export function colorsOf(call: Pick<Call, 'has' | 'io' | 'output'>): Colors {
  return picocolors.createColors(isColored(call))
}

function isColored({ has, io, output }: Pick<Call, 'has' | 'io' | 'output'>): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env
  if (has('no-color') || NO_COLOR) return false
  // As Node reads it: an empty value counts as set.
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return output.isTerminal && TERM !== 'dumb'
}
