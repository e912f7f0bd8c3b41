// A sign of life on a terminal, for work that takes longer than people wait without a doubt.

import type { Notes } from './notes.js'

const FIRST_MS = 1000

/** Says now and then that the work goes on, and leaves no trace when it is done. */
export async function withProgress<Result>(
  notes: Notes,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!notes.isWatched) return work()
  const start = Date.now()
  const tell = () => {
    notes.sayInPlace(`${text} … ${Math.round((Date.now() - start) / 1000)} s`)
  }
  const timer = setInterval(tell, FIRST_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    if (Date.now() - start >= FIRST_MS) notes.sayInPlace('')
  }
}
