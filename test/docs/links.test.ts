// Links and paths in the pages lead somewhere.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['', 'docs', 'docs/internals', 'bench', 'examples', 'test/mutation'].flatMap(pagesIn)

test('every relative link leads to a file, and every anchor to a heading', () => {
  const broken: string[] = []
  for (const page of pages) {
    for (const [, target = ''] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      const isThere = existsSync(file) && (anchor === undefined || anchorsOf(file).has(anchor))
      if (!isThere) broken.push(`${relative(root, page)}: ${target}`)
    }
  }
  expect(broken).toEqual([])
})

test('every source path that a page names exists', () => {
  const missing: string[] = []
  for (const page of pages.filter((it) => !it.endsWith('CHANGELOG.md'))) {
    for (const [, path = ''] of textOf(page).matchAll(
      /`((?:lib|bin|test|bench|examples)\/[\w./-]+)`/g,
    )) {
      if (!existsSync(join(root, path))) missing.push(`${relative(root, page)}: ${path}`)
    }
  }
  expect(missing).toEqual([])
})

test('every module path that docs/internals/ARCHITECTURE.md names exists', () => {
  const text = textOf(join(root, 'docs/internals/ARCHITECTURE.md'))
  const modules = ['chain', 'cli', 'compaction', 'continuity', 'files', 'format', 'hooks']
    .concat(['interchange', 'log', 'mcp', 'redaction', 'server', 'session', 'store'])
    .concat(['summarizers'])
    .join('|')
  const named = [...text.matchAll(new RegExp(`\`((?:${modules})/[\\w./-]+)\``, 'g'))]
  const paths = named.map(([, path]) => path!)
  expect(paths.filter((path) => !existsSync(join(root, 'lib', path)))).toEqual([])
})

function pagesIn(folder: string): string[] {
  const path = join(root, folder)
  const names = existsSync(path) ? readdirSync(path) : []
  return names.filter((name) => name.endsWith('.md')).map((name) => join(path, name))
}

/** Without code blocks, in which brackets mean something else. */
function textOf(page: string): string {
  return readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
}

/** As GitHub names them. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, title = ''] of textOf(page).matchAll(/^#+ (.+)$/gm)) {
    const slug = title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}
