// How much work a test does. The test line runs a share of it; `JSONL_SESSION_SOAK=1 npm test` runs
// all of it, and a greater number runs random tests that many times longer.

const soak = Number(process.env['JSONL_SESSION_SOAK'] ?? 0)

/** Whether tests run at full length. */
export const inSoak = soak >= 1

/**
 * How often to repeat something random (`numRuns`, kills, seeds): `full` in a soak, otherwise a
 * quarter of it, or what is given as `byDefault`.
 */
export function runs(full: number, byDefault = Math.ceil(full / 4)): number {
  return inSoak ? full * soak : byDefault
}

/** A size or count that is not a number of repetitions: `full` in a soak, otherwise `byDefault`. */
export function scale(full: number, byDefault: number): number {
  return inSoak ? full : byDefault
}
