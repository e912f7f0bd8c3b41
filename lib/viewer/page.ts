// The page that `jsonl-session serve` serves. Its address brings the token in the fragment, which browsers
// do not send; it is taken out of the address at once, so that it is not copied or bookmarked.

import { JsonlSessionApp } from './elements.js'

const KEY = 'jsonl-session:token'

const [, given] = /^#token=([^&]+)/.exec(location.hash) ?? []
if (given !== undefined) {
  sessionStorage.setItem(KEY, decodeURIComponent(given))
  history.replaceState(null, '', location.pathname + location.search)
}

const app = new JsonlSessionApp()
app.token = sessionStorage.getItem(KEY) ?? ''
document.body.append(app)
