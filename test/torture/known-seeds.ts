// Seeds that are run every time, beside those of chance: the first one, and whichever found something.

export const KNOWN_SEEDS = {
  // Of a log that is synced at turns, and of one that is synced always, though no turn ends.
  crashStates: [1, 3],
  model: [1],
  // Where in its chance the soak stood each time it said `altered`, and the lines of its log.
  mutations: [
    { name: 'a quoted record before another object', seed: 3362454606, lines: 8 },
    { name: 'a quoted record behind one cut in a text', seed: 3647036040, lines: 8 },
    { name: 'a quoted record at the first byte', seed: 3727890762, lines: 10 },
  ],
} as const
