/** One session: `<jsonl-session-view src="http://127.0.0.1:4319" session="ID" event="UUID">`. */
export class JsonlSessionView extends HTMLElement {
  /** The token of the server. A property and not an attribute, so that it is not in the document. */
  token: string
}

/** All sessions of the server that the page comes from, and each of them. */
export class JsonlSessionApp extends HTMLElement {
  /** The token of the server. */
  token: string
}
