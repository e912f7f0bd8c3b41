import { useEffect, useReducer } from 'preact/hooks'

/** Draws the component again whenever the model changes. */
export function useModel(model: { subscribe(listener: () => void): () => void }): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const unsubscribe = model.subscribe(() => redraw(undefined))
    // It may have changed since it was drawn.
    redraw(undefined)
    return unsubscribe
  }, [model])
}
