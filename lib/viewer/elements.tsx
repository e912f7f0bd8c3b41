// The viewer as elements that any page can use. Each has a shadow root, so that neither its styles nor
// those of the page around it reach the other.
//
//   <jsonl-session-view src="http://127.0.0.1:4319" session="ID" event="UUID"></jsonl-session-view>
//
// The token is a property, not an attribute: `element.token = '…'`.

import { type ComponentChild, render } from 'preact'
import { Api } from './data/api.js'
import { ApiSource } from './data/api-source.js'
import { type EmbeddedHead, type EmbeddedLine, EmbeddedSource } from './data/embedded-source.js'
import type { SessionSource } from './data/types.js'
import { SessionModel } from './model/session-model.js'
import css from './style/viewer.css?inline'
import { App } from './ui/app.js'
import { SessionView } from './ui/session.js'

const sheet = new CSSStyleSheet()
sheet.replaceSync(css)

abstract class ViewerElement extends HTMLElement {
  readonly root = this.attachShadow({ mode: 'open' })

  connectedCallback(): void {
    this.root.adoptedStyleSheets = [sheet]
    this.draw(this.content())
  }

  disconnectedCallback(): void {
    this.draw(null)
  }

  protected abstract content(): ComponentChild

  protected draw(content: ComponentChild): void {
    render(content, this.root)
  }
}

/** One session, of a server or of the data that `show` is given. */
export class JsonlSessionView extends ViewerElement {
  static readonly observedAttributes = ['session', 'src', 'event']
  token = ''
  #source: SessionSource | undefined
  #model: SessionModel | undefined

  attributeChangedCallback(): void {
    if (this.isConnected) this.draw(this.content())
  }

  override disconnectedCallback(): void {
    this.#model?.close()
    super.disconnectedCallback()
  }

  /** Shows a session that is in memory. */
  show(head: EmbeddedHead, lines: Iterable<EmbeddedLine>): void {
    this.#source = new EmbeddedSource(head, lines)
    if (this.isConnected) this.draw(this.content())
  }

  protected content(): ComponentChild {
    this.#model?.close()
    const session = this.getAttribute('session')
    const source =
      this.#source ??
      (session === null
        ? undefined
        : new ApiSource(new Api(this.getAttribute('src') ?? '', this.token), session))
    if (source === undefined) return <p class="waiting">No session was named.</p>
    const model = new SessionModel(source)
    this.#model = model
    void model.open(this.getAttribute('event') ?? undefined)
    const onSelect = (uuid: string) =>
      this.dispatchEvent(new CustomEvent('select-event', { detail: { uuid } }))
    return <SessionView key={crypto.randomUUID?.() ?? ''} model={model} onSelect={onSelect} />
  }
}

/** The page of a server: all sessions, and each of them. */
export class JsonlSessionApp extends ViewerElement {
  token = ''

  protected content(): ComponentChild {
    return <App api={new Api('', this.token)} />
  }
}

customElements.define('jsonl-session-view', JsonlSessionView)
customElements.define('jsonl-session-app', JsonlSessionApp)

// The declarations that are published describe these classes.
;({ JsonlSessionView, JsonlSessionApp }) satisfies typeof import('./public.js')
