export interface ServerEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

/** Server-sent events from text that arrives in pieces. */
export class EventParser {
  #rest = ''
  #event = 'message'
  #id = ''
  #data: string[] = []

  #line(line: string): ServerEvent | undefined {
    if (line === '') {
      const [event, data] = [this.#event, this.#data]
      this.#event = 'message'
      this.#data = []
      return data.length === 0 ? undefined : { event, id: this.#id, data: data.join('\n') }
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line)!
    if (name === 'event') this.#event = value
    else if (name === 'id') this.#id = value
    else if (name === 'data') this.#data.push(value)
    return undefined
  }

  *push(text: string): Generator<ServerEvent> {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) {
      const event = this.#line(line.endsWith('\r') ? line.slice(0, -1) : line)
      if (event !== undefined) yield event
    }
  }
}
