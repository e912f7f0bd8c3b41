// `view` on a terminal: keys in, screens out.

import { on } from 'node:events'
import { isSessionError } from '../../errors.js'
import { findSidechain, loadSession } from '../../store/index.js'
import type { Call } from '../command.js'
import { colorsOf } from '../output/colors.js'
import { clip, toPlainText } from '../output/plain-text.js'
import {
  drawLines,
  ENDING_SIGNALS,
  type Key,
  sizeOf,
  takeTerminal,
} from '../terminal/take-terminal.js'
import { type Feed, SeenFeed, WrittenFeed } from './feed.js'
import { paintLine } from './styled-line.js'
import { SessionView } from './view.js'
import { type Lens, Viewer } from './viewer.js'

const FOLLOW_MS = 300

export interface RunViewerOptions {
  readonly path: string
  readonly title: string
  /** The event to begin with, by its place in the file. */
  readonly at: number | undefined
  readonly isFollowing: boolean
}

/** Resolves when the reader leaves. The terminal is given back whatever happens. */
export async function runViewer(call: Call, options: RunViewerOptions): Promise<void> {
  const { io, store } = call
  const { path, title, at, isFollowing } = options
  const written = new WrittenFeed(store, path)
  const view = new SessionView({
    feed: written,
    size: textSize(io),
    openTask: (task) => openTask(call, task),
  })
  view.show(written, at)
  const draw = () => drawViewer(call, viewer)
  const viewer: Viewer = new Viewer(
    {
      title: toPlainText(title),
      view,
      openLens: (lens, uuid) => openLens(call, written, { path, lens, uuid }),
      copy: (text) => void io.stdout.write(copySequence(text)),
      redraw: async () => {
        draw()
        // Lets keys arrive that were pressed meanwhile.
        await new Promise<void>((resolve) => void store.env.timers.setTimeout(resolve, 0))
      },
    },
    { isFollowing },
  )
  const resize = () => {
    view.resize(textSize(io))
    draw()
  }
  let size = written.size
  const timer = store.env.timers.setInterval(() => {
    if (!viewer.isFollowing || written.size === size) return
    size = written.size
    view.follow()
    draw()
  }, FOLLOW_MS)
  const restore = takeTerminal(io)
  io.stdout.on('resize', resize)
  try {
    draw()
    await untilLeft(io, viewer, draw)
  } finally {
    io.stdout.off('resize', resize)
    store.env.timers.clearInterval(timer)
    restore()
  }
}

/** The last row is for the status. */
function textSize(io: Call['io']): { columns: number; rows: number } {
  const { columns, rows } = sizeOf(io)
  return { columns, rows: Math.max(1, rows - 1) }
}

function drawViewer(call: Call, viewer: Viewer): void {
  const { columns, rows } = textSize(call.io)
  const colors = colorsOf(call)
  const { lines, status } = viewer.screen(rows)
  const paint = { colors, columns, matches: viewer.highlight }
  drawLines(call.io, [
    ...lines.map((line) => paintLine(line, paint)),
    colors.inverse(clip(status, columns)),
  ])
}

async function untilLeft(io: Call['io'], viewer: Viewer, draw: () => void): Promise<void> {
  const { stdin } = io
  const controller = new AbortController()
  const { signal } = controller
  const leave = () => {
    viewer.stop()
    controller.abort()
  }
  const stop = () => viewer.stop()
  // A queue instead of a handler: a key waits until the one before it is done.
  const keys = on(stdin, 'keypress', { signal, close: ['end'] })
  stdin.on('keypress', stop)
  for (const name of ENDING_SIGNALS) io.once(name, leave)
  try {
    for await (const [sequence, key] of keys) {
      if (await viewer.press({ sequence, ...(key as Key) })) return
      draw()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await keys.return?.()
    stdin.off('keypress', stop)
    for (const name of ENDING_SIGNALS) io.off(name, leave)
  }
}

function openLens(
  { store }: Call,
  written: Feed,
  { path, lens, uuid }: { path: string; lens: Lens; uuid: string | undefined },
): Feed {
  if (lens === 'written') return written
  // The model of that time had not seen a summary that was revised since.
  const revisions = lens === 'past' ? 'then' : 'newest'
  return new SeenFeed(loadSession(store, path, { at: uuid, revisions }).log.projection.entries)
}

function openTask({ store }: Call, task: string): Feed | undefined {
  try {
    return new WrittenFeed(store, findSidechain(store, task).path)
  } catch (error) {
    if (!isSessionError(error)) throw error
    return undefined
  }
}

/** Asks the terminal to put a text into the clipboard (OSC 52), which also works over ssh. */
function copySequence(text: string): string {
  return `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`
}
