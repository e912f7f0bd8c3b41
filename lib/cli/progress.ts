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

// Often enough to be seen moving, and seldom enough to cost nothing.
const AGAIN_MS = 100

/** For work that tells how far it is: the first word after a second, and no trace at the end. */
export async function withCounter<Result>(
  notes: Notes,
  work: (tell: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  if (!notes.isWatched) return work(() => {})
  let next = Date.now() + FIRST_MS
  let last = ''
  let isTold = false
  const show = () => {
    const now = Date.now()
    if (now < next) return
    next = now + AGAIN_MS
    isTold = true
    notes.sayInPlace(last)
  }
  // By both: a step may last long without a word, and many steps may leave a timer no time.
  const timer = setInterval(show, FIRST_MS)
  try {
    return await work((text) => {
      last = text
      show()
    })
  } finally {
    clearInterval(timer)
    if (isTold) notes.sayInPlace('')
  }
}
