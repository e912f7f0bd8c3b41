// A client of Server-Sent Events: parses what a stream sends, and knows the last id.

export interface Received {
  readonly event: string
  readonly id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it follows
  readonly data: any
}

export class EventReader {
  /** What a client that reconnects sends as Last-Event-ID. */
  lastId: string | undefined
  /** Comments, which keep a connection open. */
  heartbeats = 0
  readonly #body: AsyncIterator<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    if (response.status !== 200) throw new Error(`The stream is answered with ${response.status}`)
    this.#body = response.body![Symbol.asyncIterator]()
  }

  /** The next event; `undefined` at the end of the stream. */
  async next(): Promise<Received | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end === -1) {
        const { done, value } = await this.#body.next()
        if (done === true) return undefined
        this.#text += this.#decoder.decode(value, { stream: true })
        continue
      }
      const block = this.#text.slice(0, end)
      this.#text = this.#text.slice(end + 2)
      const received = this.#parse(block)
      if (received !== undefined) return received
    }
  }

  async take(count: number): Promise<Received[]> {
    const taken: Received[] = []
    while (taken.length < count) {
      const one = await this.next()
      if (one === undefined) break
      taken.push(one)
    }
    return taken
  }

  async cancel(): Promise<void> {
    await this.#body.return?.()
  }

  #parse(block: string): Received | undefined {
    const fields = new Map<string, string>()
    for (const row of block.split('\n')) {
      const at = row.indexOf(':')
      if (at === 0) this.heartbeats++
      else fields.set(row.slice(0, at), row.slice(at + 2))
    }
    this.lastId = fields.get('id') ?? this.lastId
    const data = fields.get('data')
    if (data === undefined) return undefined
    return { event: fields.get('event')!, id: fields.get('id'), data: JSON.parse(data) }
  }
}
