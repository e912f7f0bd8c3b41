// Figures on their way into the page: only those that were measured, each with its day.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { temporaryFolder } from '../helpers/temporary.js'

interface Row {
  name: string
  value: number
  measuredAt: string
}

interface Report {
  node: string
  rows: Row[]
  curves: { name: string; case: string }[]
}

const { publish } = (await import(new URL('../../bench/publish.mjs', import.meta.url).href)) as {
  publish(report: object, docs: string): string
}

const PAGE = `# Performance

Before.

<!-- figures: written by npm run bench -- --publish -->
<!-- end of figures -->

After.
`

function row(name: string, value: number, verdict = 'met') {
  const said = { against: 'rg | jq', durability: 'none', unit: '×', target: { least: 1 } }
  return { name, value, verdict, isNoisy: false, measuredAt: '2026-11-16T10:00:00.000Z', ...said }
}

function curve(name: string, y: number) {
  const points = [10, 100].map((x) => ({ x, y, p25: y, count: 3 }))
  return {
    name,
    case: `growth-${name}`,
    title: `The curve of ${name}`,
    x: { label: 'size', unit: 'B' },
    y: { label: 'milliseconds', unit: 'ms' },
    measuredAt: '2026-11-17T10:00:00.000Z',
    series: [
      { name: 'ours', isOurs: true, points },
      { name: 'pi', isOurs: false, points: [], note: 'pi is not installed' },
    ],
  }
}

function report(fields: object) {
  const machine = { node: 'v20', platform: 'linux', processor: 'p', cores: 2, load: 0.5 }
  return { ...machine, lockKind: 'kernel', isInMemory: false, rows: [], curves: [], ...fields }
}

function page(t: TestContext) {
  const docs = join(temporaryFolder(t), 'docs')
  mkdirSync(docs)
  writeFileSync(join(docs, 'PERFORMANCE.md'), PAGE)
  const figures = () =>
    JSON.parse(readFileSync(join(docs, 'performance/figures.json'), 'utf8')) as Report
  return { docs, figures }
}

it('the words around the figures stay, and a miss is named', (t) => {
  const { docs } = page(t)
  const rows = [row('append', 0.8, 'missed'), row('scan', 7)]
  const text = readFileSync(publish(report({ rows, curves: [curve('resume', 5)] }), docs), 'utf8')
  expect(text).toMatch(/^# Performance\n\nBefore\.\n/)
  expect(text).toMatch(/\nAfter\.\n$/)
  expect(text).toContain('1 targets met, 1 missed.')
  expect(text).toContain('Missed: append (rg | jq).')
  expect(text).toContain('rg \\| jq')
  expect(text).toContain('![The curve of resume](performance/resume.svg)')
  expect(text).toContain('pi is not installed')
  expect(text).toContain('2026-11-16 to 2026-11-17')
})

it('publishing twice changes nothing but the figures', (t) => {
  const { docs } = page(t)
  const once = readFileSync(publish(report({ rows: [row('scan', 7)] }), docs), 'utf8')
  const twice = readFileSync(publish(report({ rows: [row('scan', 7)] }), docs), 'utf8')
  expect(twice).toBe(once)
})

it('what was not run stays as it was measured, and what was is replaced', (t) => {
  const { docs, figures } = page(t)
  publish(report({ rows: [row('append', 1), row('scan', 7)], curves: [curve('resume', 5)] }), docs)
  publish(report({ rows: [row('scan', 8)], curves: [curve('list', 5)] }), docs)
  expect(figures().rows.map(({ name, value }) => [name, value])).toEqual([
    ['append', 1],
    ['scan', 8],
  ])
  expect(figures().curves.map(({ name }) => name)).toEqual(['resume', 'list'])
  expect(readdirSync(join(docs, 'performance')).sort()).toEqual([
    'figures.json',
    'list.svg',
    'resume.svg',
  ])
})

it('figures of another Node are not put beside these', (t) => {
  const { docs, figures } = page(t)
  publish(report({ rows: [row('append', 1)] }), docs)
  publish(report({ node: 'v22', rows: [row('scan', 8)] }), docs)
  expect(figures().rows.map(({ name }) => name)).toEqual(['scan'])
})

it('a page without its marks is refused', (t) => {
  const { docs } = page(t)
  writeFileSync(join(docs, 'PERFORMANCE.md'), '# Performance\n')
  expect(() => publish(report({ rows: [row('append', 1)] }), docs)).toThrow(/marks/)
})
