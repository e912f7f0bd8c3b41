// A clock that stands still until a test moves it.

export const HOUR = 60 * 60 * 1000
export const MINUTE = 60 * 1000
/** How long a claim lasts after it was written. */
export const CLAIM = 4 * HOUR + 20 * MINUTE

export class Clock {
  ms = Date.UTC(2026, 0, 1, 12)

  readonly environment = { now: () => this.ms }

  pass(ms: number): void {
    this.ms += ms
  }

  /** The time so many milliseconds from now. */
  iso(ms = 0): string {
    return new Date(this.ms + ms).toISOString()
  }
}
