// Hits on their way out: rows that editors and sed understand, counts, names of files, or JSON.

import { type GrepHit, type GrepOptions, grepStore } from '../store/index.js'
import { type Colors, colorsOf } from './colors.js'
import type { Call } from './command.js'
import { EXIT } from './exit-codes.js'
import { clip, toPlainText } from './plain-text.js'
import { withProgress } from './progress.js'

export async function printHits(call: Call, options: GrepOptions): Promise<number> {
  const skipped: { path: string; reason: string }[] = []
  const hits = grepStore({ ...options, onSkipped: (one) => skipped.push(one) })
  const print = call.has('count')
    ? printCounts
    : call.has('files-with-matches')
      ? printFiles
      : printRows
  const count = await withProgress(call.notes, 'Searching', () => print(call, hits))
  await call.output.flush()
  for (const { path, reason } of skipped) {
    call.notes.say(`skipped ${toPlainText(path)}: ${toPlainText(reason)}`)
  }
  if (skipped.length > 0) return EXIT.failed
  return count > 0 ? EXIT.done : EXIT.no
}

async function printRows(call: Call, hits: AsyncIterable<GrepHit>): Promise<number> {
  const { output } = call
  const colors = colorsOf(call)
  const isJson = call.has('json')
  let count = 0
  let lastPath = ''
  for await (const hit of hits) {
    if (isJson) await output.write(`${JSON.stringify(hit)}\n`)
    else if (output.isTerminal) {
      if (hit.path !== lastPath) await output.write(headingOf(hit, colors, lastPath === ''))
      await output.write(`${clip(rowOf(hit), output.columns ?? 80)}\n`)
    } else
      await output.write(
        `${toPlainText(hit.path)}${separatorOf(hit)}${rowOf(hit, hit.session_id)}\n`,
      )
    lastPath = hit.path
    if (!hit.context) count++
  }
  return count
}

function headingOf({ path, session_id }: GrepHit, colors: Colors, isFirst: boolean): string {
  return `${isFirst ? '' : '\n'}${colors.bold(toPlainText(path))}  ${toPlainText(session_id)}\n`
}

/** A colon for a match, as grep has it; a dash for what only stands beside one. */
function separatorOf({ context }: GrepHit): string {
  return context ? '-' : ':'
}

/** In a terminal the session stands in the heading. */
function rowOf(hit: GrepHit, session?: string): string {
  const { line_number, byte_offset, length, ts, type, damage, snippet } = hit
  const what = damage === undefined ? toPlainText(type ?? '-') : `DAMAGED (${damage})`
  const whose = session === undefined ? '' : `${toPlainText(session)} `
  const place = `${line_number}${separatorOf(hit)} ${whose}@${byte_offset}+${length}`
  return `${place} ${ts ?? '-'} ${what}  ${toPlainText(snippet)}`.trimEnd()
}

async function printCounts(call: Call, hits: AsyncIterable<GrepHit>): Promise<number> {
  const { output } = call
  let current: GrepHit | undefined
  let count = 0
  let total = 0
  const flush = async () => {
    if (current === undefined) return
    const { session_id, path } = current
    const row = call.has('json')
      ? JSON.stringify({ session_id, path, count })
      : `${toPlainText(path)}:${count}`
    await output.write(`${row}\n`)
  }
  for await (const hit of hits) {
    if (hit.path !== current?.path) {
      await flush()
      current = hit
      count = 0
    }
    count++
    total++
  }
  await flush()
  return total
}

async function printFiles(call: Call, hits: AsyncIterable<GrepHit>): Promise<number> {
  let count = 0
  for await (const { session_id, path } of hits) {
    const row = call.has('json') ? JSON.stringify({ session_id, path }) : toPlainText(path)
    await call.output.write(`${row}\n`)
    count++
  }
  return count
}
