// Files and lines of each module of lib/. Blank lines and comments are not counted.
//
//   node bench/code-size.mjs [DIR] [--json]

import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' } },
  allowPositionals: true,
})
const base = positionals[0] ?? fileURLToPath(new URL('../lib', import.meta.url))

const sizes = new Map()
for (const name of readdirSync(base, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!name.endsWith('.ts')) continue
  const [module] = name.split(sep)
  const size = sizes.get(module) ?? { module, files: 0, lines: 0 }
  size.files += 1
  size.lines += countLines(readFileSync(join(base, name), 'utf8'))
  sizes.set(module, size)
}
const rows = [...sizes.values()]
const sum = (key) => rows.reduce((total, row) => total + row[key], 0)
rows.push({ module: 'total', files: sum('files'), lines: sum('lines') })

if (values.json) console.log(JSON.stringify(rows, null, 2))
else {
  console.log(`${'module'.padEnd(16)}${'files'.padStart(6)}${'lines'.padStart(8)}`)
  for (const { module, files, lines } of rows) {
    console.log(`${module.padEnd(16)}${String(files).padStart(6)}${String(lines).padStart(8)}`)
  }
}

function countLines(text) {
  const lines = text.replace(/\/\*[\s\S]*?\*\//g, '').split('\n')
  return lines.filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length
}
