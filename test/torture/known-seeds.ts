// Seeds that are run every time, beside those of chance: the first one, and whichever found something.

export const KNOWN_SEEDS = {
  crashStates: [1],
  model: [1],
} as const
