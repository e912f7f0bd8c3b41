// Rows become a table for people and a file for programs.

import { shortNumber } from './chart.mjs'

// Two runs of the same code differ by so much on a quiet machine.
const NOISE_LEAST = 0.93
const NOISE_MOST = 1.07

/** It joins a row of a case with what was measured for it. */
export function finishRow(row, { ratio, ratioP25, ...measured }) {
  const finished = { ...row, value: ratio, valueP25: ratioP25, ...measured }
  return { ...finished, verdict: verdictOf(finished), isNoisy: isNoisy(finished) }
}

export function tableOf(rows) {
  const head = ['case', 'against', 'durability', 'median', 'p25', 'target', 'verdict', 'noise']
  const cells = rows.map((row) => [
    row.name,
    row.peer === undefined ? row.against : `${row.against} (${row.peer})`,
    row.durability,
    figure(row.value, row.unit),
    figure(row.valueP25, row.unit),
    targetText(row),
    row.note ?? row.verdict,
    noiseText(row),
  ])
  return table(head, cells)
}

/** A line per series, a column per size, and how much more the largest takes than the smallest. */
export function curveTableOf({ x, y, series }) {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))]
  sizes.sort((left, right) => left - right)
  const cells = series.map(({ name, points, note }) => [
    name,
    ...sizes.map((size) => {
      const point = points.find((candidate) => candidate.x === size)
      return point === undefined ? (note ?? '–') : named(point.y, y.unit)
    }),
    growthText(points),
  ])
  return table([y.label, ...sizes.map((size) => named(size, x.unit)), 'growth'], cells)
}

function growthText(points) {
  if (points.length < 2) return '–'
  const [first, last] = [points[0], points.at(-1)]
  return `${shortNumber(last.y / first.y)}× for ${shortNumber(last.x / first.x)}×`
}

function named(value, unit) {
  return unit === undefined ? shortNumber(value) : `${shortNumber(value)} ${unit}`
}

function table(head, rows) {
  // A pipe in a cell would begin the next one.
  const cells = rows.map((line) => line.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...cells.map((line) => line[column].length)),
  )
  const spell = (line) => `| ${line.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [spell(head), rule, ...cells.map(spell)].join('\n')
}

/** For a page that is read: what was measured, against what, and whether it was enough. */
export function publishedTableOf(rows) {
  const cells = rows.map((row) => [
    row.name,
    row.peer === undefined ? row.against : `${row.against} (${row.peer})`,
    row.durability,
    figure(row.value, row.unit),
    targetText(row),
    row.isNoisy ? `${row.verdict}, noisy ${row.noise.toFixed(2)}` : (row.note ?? row.verdict),
  ])
  return table(['case', 'against', 'durability', 'median', 'target', 'verdict'], cells)
}

export function summaryOf(rows) {
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length
  const noisy = rows.filter((row) => row.isNoisy).length
  const skipped = count('skipped')
  const open = skipped > 0 ? `, ${skipped} not measured` : ''
  const lines = [`${count('met')} targets met, ${count('missed')} missed${open}.`]
  if (skipped > 0) lines.push('Not installed is what `npm install --prefix bench` brings, or jq.')
  if (noisy > 0) {
    lines.push(
      `Noisy: in ${noisy} rows the baseline differs from itself by more than 7 %. ` +
        'Their figures prove nothing, whatever they say; run again on a quiet machine.',
    )
  }
  return lines.join('\n')
}

function verdictOf({ value, target }) {
  if (target === null) return 'report only'
  const isMet = target.most === undefined ? value >= target.least : value <= target.most
  return isMet ? 'met' : 'missed'
}

function isNoisy({ noise }) {
  return noise !== undefined && (noise < NOISE_LEAST || noise > NOISE_MOST)
}

function targetText({ target, unit }) {
  if (target === null) return '–'
  if (target.most !== undefined) return `≤ ${target.most} ${unit}`
  const aim = target.aim === undefined ? '' : ` (aim ${target.aim})`
  return `≥ ${target.least}${unit}${aim}`
}

function noiseText({ noise, isNoisy }) {
  if (noise === undefined) return '–'
  return isNoisy ? `${noise.toFixed(2)} noisy` : noise.toFixed(2)
}

function figure(value, unit) {
  if (value === undefined) return '–'
  return unit === 'MB' ? `${value.toFixed(0)} MB` : `${value.toFixed(2)}${unit}`
}
