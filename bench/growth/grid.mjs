// Every series at every size, taken in turns as the cases are, so that a disturbance meets all alike.

import { inRandomOrder, summary } from '../harness.mjs'

/**
 * A cell has `series`, `x`, and `measure`, which returns figures by the name of their curve. It returns
 * for each of these names what the series of that curve are.
 */
export async function sampleGrid(cells, rounds) {
  const samples = cells.map(() => ({}))
  const take = async (index) => {
    for (const [curve, value] of Object.entries(await cells[index].measure())) {
      samples[index][curve] ??= []
      samples[index][curve].push(value)
    }
  }
  for (let round = 0; round < rounds; round++) {
    // What takes long is asked less often; it has more time to be steady in.
    const due = cells.flatMap((cell, index) => (round < (cell.rounds ?? rounds) ? [index] : []))
    await inRandomOrder(due, 1, take)
  }
  return (curve) => seriesOf(cells, samples, curve)
}

function seriesOf(cells, samples, curve) {
  const byName = new Map()
  for (const [index, { series, x, isOurs = false }] of cells.entries()) {
    const values = samples[index][curve]
    if (values === undefined) continue
    const one = byName.get(series) ?? { name: series, isOurs, points: [] }
    const { median, p25, count } = summary(values)
    one.points.push({ x, y: median, p25, count })
    byName.set(series, one)
  }
  return [...byName.values()]
}

/** What could not be measured has its place in the legend and in the table all the same. */
export function absent(name, why) {
  return { name, isOurs: false, points: [], note: why }
}

/** The time of a piece of work, in milliseconds. */
export async function millis(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}
