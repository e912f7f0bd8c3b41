// A chat file as a fixture: without texts of the vendor, and without what no import reads.

const CONTEXT = /<session_context>[\s\S]*<\/session_context>/g
const OUR_CONTEXT = '<session_context>\nThe date and the folders.\n</session_context>'

/** Of the calls: descriptions by the vendor, and the screen of a command as cells. */
const LEFT_OUT = new Set(['resultDisplay', 'description', 'renderOutputAsMarkdown', 'displayName'])

export function scrub(text, path) {
  if (path.endsWith('.json')) return JSON.stringify(scrubValue(JSON.parse(text)), null, 2)
  if (!path.endsWith('.jsonl')) return text
  const isSubagent = !/\/chats\/[^/]+$/.test(path)
  return text
    .split('\n')
    .map((line) => scrubLine(line, isSubagent))
    .join('\n')
}

/** A line that a kill left unfinished stays what it is. */
function scrubLine(line, isSubagent) {
  if (!line.endsWith('}')) return line
  const value = scrubValue(JSON.parse(line))
  const isTask = isSubagent && value.type === 'user' && value.content[0].text !== undefined
  return JSON.stringify(isTask ? { ...value, content: [{ text: 'Look.' }] } : value)
}

function scrubValue(value, key = '') {
  if (key === 'projectHash') return '0'.repeat(64)
  if (typeof value === 'string') return value.replace(CONTEXT, OUR_CONTEXT)
  if (Array.isArray(value)) return value.map((member) => scrubValue(member))
  if (typeof value !== 'object' || value === null) return value
  const isCall = 'status' in value && 'args' in value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isCall || !LEFT_OUT.has(name))
      .map(([name, member]) => [name, scrubValue(member, name)]),
  )
}
