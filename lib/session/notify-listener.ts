import { callListener, reportListenerError } from '../log/internal.js'
import type { StoreContext } from '../store/index.js'

/** Calls a listener after something was written; an error of it does not fail the write. */
export function notifyListener({ logOptions, env }: StoreContext, listener: () => unknown): void {
  callListener(listener, (error) => reportListenerError(error, logOptions, env.host))
}
