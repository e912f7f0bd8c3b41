// The id of an event as rows show it: what `view --at` and the like take.

const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const CHARS = 8

/**
 * The first eight characters of a random uuid. Any other id is shown whole: those of a time-ordered uuid begin
 * alike, and ids of other writers may be anything.
 */
export function shortIdOf(uuid: string): string {
  return RANDOM_UUID.test(uuid) ? uuid.slice(0, CHARS) : uuid
}
