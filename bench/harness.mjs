// Speeds compared on a machine that is never quiet: everything of one case runs in one process,
// in short slices and random order, so that what disturbs one disturbs all. The baseline runs
// twice; how far the two differ says what the rest is worth.

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// After this many rounds all begin with empty files, so that none is measured on a large one, and
// little of what was written ever reaches the disk.
const ROUNDS_PER_CHAPTER = 20

// Code is compiled anew several times before it is as fast as it gets, and later on a busy
// machine; ours is more code than any baseline.
const WARM_UP_MS = 3000

/**
 * It measures two variants, the second one twice, and returns their comparison.
 *
 * A variant has `open(folder)`, which gives `run(count)`, `close()`, perhaps `prepare(count)` for
 * what shall not be timed, and perhaps `check()`, which throws if the work was not done.
 */
export async function compareVariants({ ours, baseline }, { folder, slice, rounds }) {
  const variants = { ours, baseline, again: baseline }
  const names = Object.keys(variants)
  const times = { ours: [], baseline: [], again: [] }
  const chapter = (count, take) =>
    runChapter(variants, folder, async (opened) => {
      await inRandomOrder(names, count, async (name) => {
        take(name, await timeSlice(opened[name], slice))
      })
      for (const name of names) opened[name].check?.()
    })
  const warm = performance.now() + WARM_UP_MS
  while (performance.now() < warm) await chapter(ROUNDS_PER_CHAPTER, () => {})
  for (let left = rounds; left > 0; left -= ROUNDS_PER_CHAPTER) {
    const count = Math.min(left, ROUNDS_PER_CHAPTER)
    await chapter(count, (name, micros) => times[name].push(micros))
  }
  return compareTimes(times)
}

/** It measures by functions that each return their own time, in microseconds. */
export async function compareSamples({ ours, baseline }, rounds) {
  const measures = { ours, baseline, again: baseline }
  const times = { ours: [], baseline: [], again: [] }
  await inRandomOrder(Object.keys(measures), rounds, async (name) => {
    times[name].push(await measures[name]())
  })
  return compareTimes(times)
}

/** Times of equal work, in microseconds. Above 1, ours is faster. Without `again`, nothing is said of noise. */
export function compareTimes({ ours, baseline, again }) {
  const times = { ours: summary(ours), baseline: summary(baseline) }
  const ratios = {
    ratio: times.baseline.median / times.ours.median,
    ratioP25: times.baseline.p25 / times.ours.p25,
  }
  if (again === undefined) return { ...ratios, micros: times }
  const repeated = summary(again)
  const noise = times.baseline.median / repeated.median
  return { ...ratios, noise, micros: { ...times, again: repeated } }
}

export async function inRandomOrder(names, rounds, visit) {
  for (let round = 0; round < rounds; round++) {
    for (const name of shuffled(names)) await visit(name)
  }
}

export function summary(samples) {
  const sorted = samples.toSorted((left, right) => left - right)
  return { median: quantile(sorted, 0.5), p25: quantile(sorted, 0.25), count: sorted.length }
}

async function runChapter(variants, parent, visit) {
  const folder = mkdtempSync(join(parent, 'chapter-'))
  const opened = {}
  try {
    for (const name of Object.keys(variants)) {
      opened[name] = await variants[name].open(mkdtempSync(join(folder, `${name}-`)))
    }
    await visit(opened)
  } finally {
    for (const variant of Object.values(opened)) await variant.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timeSlice(variant, slice) {
  variant.prepare?.(slice)
  // No slice pays for the garbage of the previous one.
  globalThis.gc?.({ type: 'minor' })
  const start = performance.now()
  await variant.run(slice)
  return ((performance.now() - start) * 1000) / slice
}

function shuffled(names) {
  const order = [...names]
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    const name = order[last]
    order[last] = order[other]
    order[other] = name
  }
  return order
}

function quantile(sorted, share) {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]
  return below + (sorted[Math.ceil(at)] - below) * (at % 1)
}
