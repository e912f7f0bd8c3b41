// The curves of the benchmark, as pictures: right in place, readable, and the same for the same figures.

import { expect, it } from 'vitest'

interface Series {
  name: string
  isOurs: boolean
  points: { x: number; y: number }[]
}

interface Chart {
  title: string
  x: { label: string; unit?: string }
  y: { label: string; unit?: string }
  series: Series[]
}

const { chartOf, shortNumber } = (await import(
  new URL('../../bench/chart.mjs', import.meta.url).href
)) as { chartOf(chart: Chart): string; shortNumber(value: number): string }

function chart(series: Partial<Series>[], title = 'Resuming'): Chart {
  return {
    title,
    x: { label: 'size of the file', unit: 'B' },
    y: { label: 'milliseconds', unit: 'ms' },
    series: series.map((one) => ({ name: 'ours', isOurs: true, points: [], ...one })),
  }
}

const linesOf = (svg: string) =>
  [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, points]) =>
    points!.split(' ').map((point) => point.split(',').map(Number)),
  )

it('proportional growth is a straight line, and no growth a level one', () => {
  const rising = [10, 100, 1000].map((x) => ({ x, y: x }))
  const level = [10, 100, 1000].map((x) => ({ x, y: 20 }))
  const [up, flat] = linesOf(chartOf(chart([{ points: rising }, { points: level }])))
  const [[x0, y0], [x1, y1], [x2, y2]] = up as [number[], number[], number[]]
  expect(x1! - x0!).toBeCloseTo(x2! - x1!, 0)
  expect(y1! - y0!).toBeCloseTo(y2! - y1!, 0)
  // Down is up in a picture.
  expect(y2).toBeLessThan(y0!)
  expect(new Set(flat!.map(([, y]) => y)).size).toBe(1)
})

it('axes run over whole decades, named with their units', () => {
  const svg = chartOf(
    chart([
      {
        points: [
          { x: 2e7, y: 3 },
          { x: 8e8, y: 40 },
        ],
      },
    ]),
  )
  for (const label of ['10M B', '100M B', '1G B', '1 ms', '10 ms', '100 ms']) {
    expect(svg).toContain(`>${label}</text>`)
  }
  expect(svg).toContain('>size of the file</text>')
  expect(svg).toContain('>milliseconds</text>')
})

it('sorts the points by size', () => {
  const points = [1000, 10, 100].map((x) => ({ x, y: x }))
  const [line] = linesOf(chartOf(chart([{ points }])))
  const across = line!.map(([x]) => x!)
  expect(across).toEqual(across.toSorted((left, right) => left - right))
})

it('a series without points has no line, and the legend says so', () => {
  const svg = chartOf(chart([{ points: [{ x: 1, y: 1 }] }, { name: 'pi', isOurs: false }]))
  expect(linesOf(svg)).toHaveLength(1)
  expect(svg).toContain('>pi: not measured</text>')
})

it('one point is enough, and no series at all is an empty picture', () => {
  expect(linesOf(chartOf(chart([{ points: [{ x: 5, y: 5 }] }])))[0]).toHaveLength(1)
  expect(linesOf(chartOf(chart([])))).toEqual([])
})

it('what has no logarithm is refused by the name of its picture', () => {
  for (const y of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => chartOf(chart([{ points: [{ x: 1, y }] }], 'Zero'))).toThrow(/"Zero"/)
  }
})

it('names cannot break the picture, and it is readable in the dark', () => {
  const svg = chartOf(chart([{ name: '<b> & "c"', points: [{ x: 1, y: 1 }] }], 'a < b'))
  expect(svg).toContain('&#60;b&#62; &#38; &#34;c&#34;')
  expect(svg).toContain('aria-label="a &#60; b"')
  expect(svg).toContain('prefers-color-scheme: dark')
  expect(svg).not.toMatch(/NaN|undefined|<b>/)
})

it('numbers are short enough for an axis', () => {
  expect([0.012, 5, 1500, 2_500_000, 1e9].map(shortNumber)).toEqual([
    '0.012',
    '5',
    '1.5k',
    '2.5M',
    '1G',
  ])
})
