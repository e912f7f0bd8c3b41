// Takes the client's own long texts out of a transcript, before the client is asked what it would send: so the
// recorded file and the answer belong together.

const LONG = 160
const SUMMARY = /^[\s\S]*?\nSummary:\n/
const AFTER_SUMMARY =
  /\n\nIf you need specific details[\s\S]*$|\nContinue the conversation from where[\s\S]*$/
const CAVEAT = /<local-command-caveat>[\s\S]*?<\/local-command-caveat>/

/** Attachments whose text is a person's, not the client's. */
const PEOPLE = new Set(['queued_command', 'file'])

export function scrubTranscript(text) {
  return text.split('\n').map(scrubLine).join('\n')
}

function scrubLine(line) {
  if (line === '') return line
  let value
  try {
    value = JSON.parse(line)
  } catch {
    return line
  }
  const { type, attachment, message, toolUseResult, isCompactSummary } = value
  // For the screen of the client only.
  if (toolUseResult !== undefined) value.toolUseResult = shorten(toolUseResult)
  if (message?.usage !== undefined) message.usage = countsOf(message.usage)
  if (type === 'attachment' && !PEOPLE.has(attachment?.type)) {
    value.attachment = shorten(attachment)
  } else if (typeof message?.content === 'string') {
    message.content = scrubText(message.content, isCompactSummary === true)
  }
  return JSON.stringify(value)
}

function scrubText(text, isSummary) {
  if (isSummary) {
    return `The conversation so far.\nSummary:\n${text.replace(SUMMARY, '').replace(AFTER_SUMMARY, '')}`
  }
  return text.replace(
    CAVEAT,
    '<local-command-caveat>A local command follows.</local-command-caveat>',
  )
}

/** What is counted in each reply. */
function countsOf({ input_tokens, output_tokens }) {
  return { input_tokens, output_tokens }
}

/** The same shape without long texts. */
function shorten(value) {
  if (typeof value === 'string') return value.length > LONG ? 'A long text.' : value
  if (Array.isArray(value)) return value.slice(0, 2).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shorten(field)]))
}
