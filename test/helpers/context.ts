import { type Layout, openContext, type StoreContext } from '../../lib/store/index.js'

/** The store with these paths. */
export function contextOfLayout(layout: Layout): StoreContext {
  return { ...openContext(), layout }
}
