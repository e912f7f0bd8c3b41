// Removes texts of pi's makers from a session: the descriptions and parameters of its tools.

/** The lines of a session file, with tools by name only. */
export function scrubSession(text) {
  return text
    .split('\n')
    .map((line) =>
      line.includes('"toolsAdded"') ? JSON.stringify(JSON.parse(line, shortenTools)) : line,
    )
    .join('\n')
}

function shortenTools(key, value) {
  if (key !== 'toolsAdded') return value
  return value.map(({ name }) => ({
    name,
    description: `the tool ${name}`,
    parameters: { type: 'object' },
  }))
}
