// A sign of life on a terminal, for work that takes longer than a second.

import type { Call } from '../command.js'

const FIRST_MS = 1000
// Often enough to be seen moving, and seldom enough to cost nothing.
const AGAIN_MS = 100

type Watched = Pick<Call, 'notes' | 'env'>

/** Shows every second that the work continues, and leaves no trace when it is done. */
export function withProgress<Result>(
  call: Watched,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const start = call.env.now()
  const seconds = () => Math.round((call.env.now() - start) / 1000)
  return watching(call, () => `${text} … ${seconds()} s`, work)
}

/** For work that reports how far it is. */
export function withCounter<Result>(
  call: Watched,
  work: (report: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  let last = ''
  return watching(
    call,
    () => last,
    (show) =>
      work((text) => {
        last = text
        show()
      }),
  )
}

async function watching<Result>(
  { notes, env }: Watched,
  text: () => string,
  work: (show: () => void) => Promise<Result>,
): Promise<Result> {
  if (!notes.isWatched) return work(() => {})
  let next = env.now() + FIRST_MS
  let isShown = false
  const show = () => {
    if (env.now() < next) return
    next = env.now() + AGAIN_MS
    isShown = true
    notes.hasProgress = true
    notes.sayInPlace(text())
  }
  // By a timer and by the work: a step may last long, and many steps may leave a timer no time.
  const timer = env.timers.setInterval(show, FIRST_MS)
  try {
    return await work(show)
  } finally {
    notes.hasProgress = false
    env.timers.clearInterval(timer)
    if (isShown) notes.sayInPlace('')
  }
}

/** Ctrl-C ends a `--follow` without failing: the first one aborts the signal. */
export async function untilInterrupted(
  call: Call,
  run: (signal: AbortSignal | undefined) => Promise<number>,
): Promise<number> {
  if (!call.has('follow')) return run(undefined)
  const controller = new AbortController()
  const stop = () => controller.abort()
  call.io.once('SIGINT', stop)
  try {
    return await run(controller.signal)
  } finally {
    call.io.off('SIGINT', stop)
  }
}
