// What is wrong with the text of a settings file. The text does not know its own name; whoever
// read it from a file says of which one this is told.

export class SettingsProblem extends Error {
  readonly place: { readonly line: number; readonly column: number } | undefined

  constructor(what: string, place?: SettingsProblem['place']) {
    super(what)
    this.place = place
  }
}
