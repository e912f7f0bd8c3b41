/** A value that is made when it is first needed. `made` is `undefined` until then. */
export class Lazy<Value> {
  readonly #make: () => Value
  #made: { readonly value: Value } | undefined

  constructor(make: () => Value) {
    this.#make = make
  }

  get value(): Value {
    this.#made ??= { value: this.#make() }
    return this.#made.value
  }

  get made(): Value | undefined {
    return this.#made?.value
  }
}
