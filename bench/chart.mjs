// Curves as one SVG: logarithmic on both axes, so that a straight rising line is growth in
// proportion and a level one is constant. Pure: the same figures give the same text.

const WIDTH = 760
const PLOT = { left: 76, top: 44, right: 500, bottom: 340 }
const HEIGHT = 396
const LEGEND_LEFT = PLOT.right + 18
const LEGEND_STEP = 20
const LEGEND_CHARS = 34

// Distinguishable for people who see few colours, on white and on black; dashes help where they fail.
const COLOURS = ['#0b7fc2', '#d9730d', '#3a9a5b', '#c0508f', '#8a7a1f', '#7a6bd1', '#a05252']
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 4', '10 4', '4 2']

// The page around it may be dark, and an image does not inherit its colours.
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #333 }
  .title { font-size: 14px; font-weight: 600 }
  .grid { stroke: #8883; stroke-width: 1 }
  .axis { stroke: #888; stroke-width: 1 }
  .ground { fill: #fff }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .ground { fill: #161b22 } }`

/** A curve has `title`, `x` and `y` (`label`, perhaps `unit`) and `series` of `name` and `points`. */
export function chartOf({ title, x, y, series }) {
  const drawn = series.filter(({ points }) => points.length > 0)
  const points = drawn.flatMap((one) => one.points)
  if (points.some((point) => !(point.x > 0 && point.y > 0 && Number.isFinite(point.x + point.y)))) {
    throw new RangeError(`"${title}" has a point that a logarithm cannot show`)
  }
  const across = scaleOf(
    points.map((point) => point.x),
    { from: PLOT.left, to: PLOT.right },
  )
  const up = scaleOf(
    points.map((point) => point.y),
    { from: PLOT.bottom, to: PLOT.top },
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`,
    `<text class="title" x="${PLOT.left}" y="24">${escaped(title)}</text>`,
    ...xAxis(across, x),
    ...yAxis(up, y),
    ...drawn.flatMap((one, index) => lineOf(one, index, { across, up })),
    ...series.flatMap((one) => legendOf(one, { drawn, all: series })),
    '</svg>\n',
  ].join('\n')
}

/** 1500000 is 1.5M: short enough for an axis. */
export function shortNumber(value) {
  for (const [unit, size] of [
    ['G', 1e9],
    ['M', 1e6],
    ['k', 1e3],
  ]) {
    if (value >= size) return `${rounded(value / size)}${unit}`
  }
  return rounded(value)
}

/** Whole decades around the values, so that no point is on the edge. */
function scaleOf(values, { from, to }) {
  const least = values.length === 0 ? 0 : Math.floor(Math.log10(Math.min(...values)) + 1e-9)
  const most = values.length === 0 ? 1 : Math.ceil(Math.log10(Math.max(...values)) - 1e-9)
  const high = most > least ? most : least + 1
  const ticks = Array.from({ length: high - least + 1 }, (_, index) => 10 ** (least + index))
  const at = (value) => from + ((Math.log10(value) - least) / (high - least)) * (to - from)
  return { ticks, at }
}

function xAxis({ ticks, at }, { label, unit }) {
  return [
    ...ticks.flatMap((tick) => [
      vertical(at(tick), 'grid'),
      `<text x="${px(at(tick))}" y="${PLOT.bottom + 18}" text-anchor="middle">${named(tick, unit)}</text>`,
    ]),
    `<line class="axis" x1="${PLOT.left}" y1="${PLOT.bottom}" x2="${PLOT.right}" y2="${PLOT.bottom}"/>`,
    `<text x="${px((PLOT.left + PLOT.right) / 2)}" y="${PLOT.bottom + 40}" text-anchor="middle">${escaped(label)}</text>`,
  ]
}

function yAxis({ ticks, at }, { label, unit }) {
  const middle = (PLOT.top + PLOT.bottom) / 2
  return [
    ...ticks.flatMap((tick) => [
      `<line class="grid" x1="${PLOT.left}" y1="${px(at(tick))}" x2="${PLOT.right}" y2="${px(at(tick))}"/>`,
      `<text x="${PLOT.left - 8}" y="${px(at(tick) + 4)}" text-anchor="end">${named(tick, unit)}</text>`,
    ]),
    vertical(PLOT.left, 'axis'),
    `<text x="16" y="${middle}" text-anchor="middle" transform="rotate(-90 16 ${middle})">${escaped(label)}</text>`,
  ]
}

function vertical(x, kind) {
  return `<line class="${kind}" x1="${px(x)}" y1="${PLOT.top}" x2="${px(x)}" y2="${PLOT.bottom}"/>`
}

function lineOf({ points, isOurs }, index, { across, up }) {
  const places = points
    .toSorted((left, right) => left.x - right.x)
    .map((point) => ({ x: px(across.at(point.x)), y: px(up.at(point.y)) }))
  const colour = COLOURS[index % COLOURS.length]
  const path = places.map(({ x, y }) => `${x},${y}`).join(' ')
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="${isOurs ? 3 : 1.5}"${dashed(index)}/>`,
    ...places.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`),
  ]
}

function legendOf(one, { drawn, all }) {
  const y = PLOT.top + 8 + all.indexOf(one) * LEGEND_STEP
  const index = drawn.indexOf(one)
  const text = index === -1 ? `${one.name}: not measured` : one.name
  const words = `<text x="${LEGEND_LEFT + 28}" y="${y + 4}">${escaped(clipped(text))}</text>`
  if (index === -1) return [words]
  const colour = COLOURS[index % COLOURS.length]
  return [
    `<line x1="${LEGEND_LEFT}" y1="${y}" x2="${LEGEND_LEFT + 22}" y2="${y}" stroke="${colour}" stroke-width="${one.isOurs ? 3 : 1.5}"${dashed(index)}/>`,
    words,
  ]
}

function dashed(index) {
  const dash = DASHES[index % DASHES.length]
  return dash === '' ? '' : ` stroke-dasharray="${dash}"`
}

function named(value, unit = '') {
  const space = unit === '' ? '' : ' '
  return escaped(`${shortNumber(value)}${space}${unit}`)
}

function clipped(text) {
  return text.length <= LEGEND_CHARS ? text : `${text.slice(0, LEGEND_CHARS - 1)}…`
}

function rounded(value) {
  return String(Number(value.toPrecision(3)))
}

function px(value) {
  return Number(value.toFixed(1))
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`)
}
