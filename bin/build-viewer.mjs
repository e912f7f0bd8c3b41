// The viewer for browsers: the page of `serve`, the elements for other pages, and the template of
// `export --format html`, a file that holds everything it needs.

import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const ROOT = 'lib/viewer'
const OUT = 'dist/viewer'

// Of format the viewer uses names and links only; what needs Node is never called there.
const withoutNode = {
  name: 'without-node',
  enforce: 'pre',
  resolveId: (id) => (/^node:/.test(id) ? `\0${id}` : undefined),
  load: (id) =>
    /^\0node:/.test(id) ? 'export const crc32 = undefined, isUtf8 = undefined' : undefined,
}

const shared = {
  configFile: false,
  root: ROOT,
  base: './',
  logLevel: 'warn',
  plugins: [withoutNode],
  // Packages ask for it; a page has no `process`.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}
const output = {
  target: 'es2023',
  modulePreload: false,
  emptyOutDir: false,
  reportCompressedSize: false,
}

rmSync(OUT, { recursive: true, force: true })

await build({
  ...shared,
  build: { ...output, outDir: join('../..', OUT), assetsDir: 'assets' },
})

await build({
  ...shared,
  build: {
    ...output,
    outDir: join('../..', OUT),
    lib: { entry: 'elements.tsx', formats: ['es'], fileName: () => 'elements.js' },
  },
})

copyFileSync(join(ROOT, 'public.d.ts'), join(OUT, 'elements.d.ts'))

const exported = await build({
  ...shared,
  build: {
    ...output,
    write: false,
    lib: { entry: 'export.ts', formats: ['iife'], name: 'viewer', fileName: () => 'export.js' },
  },
})
const [{ code }] = (Array.isArray(exported) ? exported[0] : exported).output
// What would end the script element, or change how its end is found. In strings and patterns alike this
// escape is the character.
const script = code.replaceAll(/<(?=\/script|script|!--)/gi, '\\x3C')
const style = readFileSync(join(ROOT, 'style/page.css'), 'utf8')
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
writeFileSync(
  join(OUT, 'export.html'),
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title><!--title--></title>
<style>${style}</style>
</head>
<body>
<!--data-->
<script>${script}</script>
</body>
</html>
`,
)
