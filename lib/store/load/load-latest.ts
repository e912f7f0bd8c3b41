// The newest part of what the model sees, for a caller who wants a few messages: the file is read from its end,
// and no further than they need.

import type { StoreContext } from '../context.js'
import { type LoadedSession, loadSession } from './load-session.js'
import type { LoadOptions } from './read-tail.js'

const FIRST_BYTES = 64 * 1024

/** `isEnough` is asked of what was read so far, with twice as much each time, up to `bytesMax`. */
export function loadLatest(
  store: StoreContext,
  path: string,
  options: LoadOptions & { readonly bytesMax: number },
  isEnough: (loaded: LoadedSession) => boolean,
): LoadedSession {
  for (let bytesMax = FIRST_BYTES; bytesMax < options.bytesMax; bytesMax *= 2) {
    const loaded = loadSession(store, path, { ...options, bytesMax })
    if (isEnough(loaded) || loaded.log.projection.complete) return loaded
  }
  return loadSession(store, path, options)
}
