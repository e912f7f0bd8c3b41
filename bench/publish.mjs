// The figures of a run become part of docs/PERFORMANCE.md: a table, and a picture per curve. What was
// not run this time stays as it was, with the day it was measured on.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chartOf } from './chart.mjs'
import { curveTableOf, publishedTableOf, summaryOf } from './report.mjs'

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url))
const BEGIN = '<!-- figures: written by npm run bench -- --publish -->'
const END = '<!-- end of figures -->'

/** It returns the path of the page. */
export function publish(report, docs = DOCS) {
  const folder = join(docs, 'performance')
  const kept = join(folder, 'figures.json')
  mkdirSync(folder, { recursive: true })
  const before = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : undefined
  const figures = before === undefined ? report : joined(before, report)
  writeFileSync(kept, `${JSON.stringify(figures, null, 2)}\n`)
  for (const name of readdirSync(folder)) if (name.endsWith('.svg')) rmSync(join(folder, name))
  for (const curve of figures.curves) {
    writeFileSync(join(folder, `${curve.name}.svg`), chartOf(curve))
  }
  const page = join(docs, 'PERFORMANCE.md')
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), figures))
  return page
}

/** Figures of another machine or another Node are not put beside these. */
export function joined(before, now) {
  const isSame = ['node', 'platform', 'processor', 'cores'].every((key) => before[key] === now[key])
  if (!isSame) return now
  const ran = new Set([...now.rows.map(({ name }) => name), ...now.curves.map((one) => one.case)])
  return {
    ...now,
    rows: [...before.rows.filter(({ name }) => !ran.has(name)), ...now.rows],
    curves: [...before.curves.filter((curve) => !ran.has(curve.case)), ...now.curves],
  }
}

export function withFigures(page, figures) {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin) throw new Error('docs/PERFORMANCE.md has lost its marks')
  return `${page.slice(0, begin + BEGIN.length)}\n\n${blockOf(figures)}\n\n${page.slice(end)}`
}

function blockOf(figures) {
  const { node, platform, processor, cores, lockKind, isInMemory, rows, curves } = figures
  const missed = rows.filter(({ verdict }) => verdict === 'missed')
  return [
    `Node ${node}, ${platform}, ${cores} × ${processor}, ${lockKind} lock. ${dates(figures)}`,
    ...(isInMemory ? ['The files were in memory, where a sync costs nothing.'] : []),
    '### Against others',
    publishedTableOf(rows),
    summaryOf(rows),
    ...(missed.length > 0 ? [`Missed: ${missed.map(missedText).join('; ')}.`] : []),
    '### How cost grows',
    ...curves.flatMap((curve) => [
      `#### ${curve.title}`,
      `![${curve.title}](performance/${curve.name}.svg)`,
      curveTableOf(curve),
    ]),
  ].join('\n\n')
}

function missedText({ name, against }) {
  return `${name} (${against})`
}

function dates({ rows, curves, load }) {
  const days = [...rows, ...curves].map(({ measuredAt }) => measuredAt.slice(0, 10)).sort()
  const span = days[0] === days.at(-1) ? days[0] : `${days[0]} to ${days.at(-1)}`
  return `Measured ${span}; load at the start of the last run ${load.toFixed(1)}.`
}
