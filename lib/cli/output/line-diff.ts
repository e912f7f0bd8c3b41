// What changes between two texts, line by line, in the notation of `diff -u`.

const CONTEXT_LINES = 3
// Beyond it a change is shown as one block.
const CELLS_MAX = 4_000_000

interface Step {
  readonly mark: ' ' | '-' | '+'
  readonly line: string
}

/** Empty when nothing changes. A text that ends without a newline is shown like one with it. */
export function lineDiff(before: string, after: string): string[] {
  const steps = stepsBetween(linesOf(before), linesOf(after))
  const rows: string[] = []
  let oldLine = 1
  let newLine = 1
  let skippedTo = -1
  for (const [index, { mark, line }] of steps.entries()) {
    if (isNearChange(steps, index)) {
      if (skippedTo !== index - 1 || rows.length === 0) rows.push(`@@ -${oldLine} +${newLine} @@`)
      rows.push(`${mark}${line}`)
      skippedTo = index
    }
    if (mark !== '+') oldLine++
    if (mark !== '-') newLine++
  }
  return rows
}

function isNearChange(steps: readonly Step[], index: number): boolean {
  return steps
    .slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1)
    .some(({ mark }) => mark !== ' ')
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

function stepsBetween(before: readonly string[], after: readonly string[]): Step[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return [
    ...before.slice(0, head).map(step(' ')),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(step(' ')),
  ]
}

/** By the longest common subsequence, computed backwards so that it can be walked forwards. */
function middle(before: readonly string[], after: readonly string[]): Step[] {
  const width = after.length + 1
  if (before.length * width > CELLS_MAX) {
    return [...before.map(step('-')), ...after.map(step('+'))]
  }
  const common = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const steps: Step[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      steps.push({ mark: ' ', line: before[i]! })
      i++
      j++
    } else if (
      j === after.length ||
      (i < before.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      steps.push({ mark: '-', line: before[i++]! })
    } else {
      steps.push({ mark: '+', line: after[j++]! })
    }
  }
  return steps
}

function step(mark: Step['mark']): (line: string) => Step {
  return (line) => ({ mark, line })
}
