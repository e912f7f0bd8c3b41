// Where a record is placed whose parent is missing: if a line before it was damaged, that line was
// probably the parent, so the record follows what the line followed in the file.

// A file that is damaged everywhere must not fill the memory.
const REMEMBERED_MAX = 10_000

/** `Place`: what an importer links records to. */
export class DamagedParents<Place> {
  readonly #places = new Map<string, Place>()
  #newest: { readonly place: Place } | undefined

  /** A line was damaged; `place` is the nearest record before it. */
  addDamage(place: Place): void {
    this.#newest = { place }
  }

  /** The place for a record with this missing parent; `undefined` if no line before it was damaged. */
  find(parent: string): Place | undefined {
    const known = this.#places.get(parent)
    if (known !== undefined || this.#newest === undefined) return known
    const { place } = this.#newest
    // Siblings share the place, also where another line was damaged between them.
    if (this.#places.size < REMEMBERED_MAX) this.#places.set(parent, place)
    return place
  }
}
