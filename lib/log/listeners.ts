// Code of the caller that is called after something was done. What it throws fails nothing and does not
// end the process: it is reported.

import type { Host } from '../environment/index.js'
import { type Diagnostic, diagnostic } from '../format/index.js'

export interface ListenerOptions {
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined
  onListenerError?: ((error: unknown) => void) | undefined
}

/** Calls a listener; `onError` gets what it throws, or what its promise is rejected with. */
export function callListener(listener: () => unknown, onError: (error: unknown) => void): void {
  try {
    const result = listener()
    if (result instanceof Promise) result.catch(onError)
  } catch (error) {
    onError(error)
  }
}

/** Passes diagnostics to `onDiagnostic`, whose own errors go to `onListenerError`. */
export function toReporter(options: ListenerOptions, host: Host): (diagnostic: Diagnostic) => void {
  const { onDiagnostic } = options
  if (onDiagnostic === undefined) return () => {}
  return (found) => {
    callListener(
      () => onDiagnostic(found),
      (error) => passOn(error, options, host),
    )
  }
}

/** Reports the error of any other listener: to `onListenerError`, or else as a diagnostic. */
export function reportListenerError(error: unknown, options: ListenerOptions, host: Host): void {
  const isDiagnostic = options.onListenerError === undefined && options.onDiagnostic !== undefined
  const reason = error instanceof Error ? error.message : String(error)
  if (!isDiagnostic) passOn(error, options, host)
  else toReporter(options, host)(diagnostic('listener_failed', `A listener failed: ${reason}`))
}

/** Without a listener for it the host is warned, so that no error is lost. */
function passOn(error: unknown, { onListenerError }: ListenerOptions, host: Host): void {
  const warn = (what: unknown) =>
    host.emitWarning(what instanceof Error ? what : new Error(String(what)))
  if (onListenerError === undefined) warn(error)
  else callListener(() => onListenerError(error), warn)
}
