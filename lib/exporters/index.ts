// The door of the room that writes sessions down for others. Pure: items in, text out.

export type { ExportedEvent, ExportFacts, ExportItem, ExportItems, ExportView } from './item.js'
export { type ExportLine, toLines } from './lines.js'
export { toMarkdown } from './markdown.js'
export { redactFacts, redactItems } from './redact-items.js'
export type { PageOptions } from './shown.js'
export { toText } from './text.js'
export { itemsWithinDepth } from './within-depth.js'
