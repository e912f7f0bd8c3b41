// Colour is for terminals, and only for those who did not say no.

import picocolors from 'picocolors'
import type { Call } from './command.js'

export type Colors = ReturnType<typeof picocolors.createColors>

export function colorsOf({ has, io, output }: Call): Colors {
  const { NO_COLOR, TERM } = io.env
  const isRefused = has('no-color') || Boolean(NO_COLOR) || TERM === 'dumb'
  return picocolors.createColors(output.isTerminal && !isRefused)
}
