// The script inside a file of `export --format html`. The data is in the same file.

import type { EmbeddedHead, EmbeddedLine } from './data/embedded-source.js'
import { JsonlSessionView } from './elements.js'
import { printWhole } from './print.js'

const blocks = document.querySelectorAll('script[type="application/json"]')
const [head, ...lines] = [...blocks].flatMap((block) => JSON.parse(block.textContent ?? '[]')) as [
  EmbeddedHead,
  ...EmbeddedLine[],
]

const view = new JsonlSessionView()
const wanted = decodeURIComponent(location.hash.slice(1))
if (wanted !== '') view.setAttribute('event', wanted)
view.addEventListener('select-event', (event) => {
  const { uuid } = (event as CustomEvent<{ uuid: string }>).detail
  history.replaceState(null, '', `#${uuid}`)
})
view.show(head, lines)
document.body.append(view)
printWhole(head, lines)
