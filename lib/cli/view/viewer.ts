// What the keys of `view` do: moving, opening, searching, and changing the lens.

import { isTyped, type Key } from '../terminal/take-terminal.js'
import type { Direction, Feed } from './feed.js'
import { shortId } from './render-item.js'
import type { Paint, StyledLine } from './styled-line.js'
import { BOUNDARIES, ERRORS, PROMPTS, type Target, textTarget } from './targets.js'
import type { SessionView } from './view.js'

export type Lens = 'written' | 'seen' | 'past'

const LENS_NAMES: Record<Lens, string> = {
  written: 'written',
  seen: 'what the model sees',
  past: 'what the model saw at',
}

export interface ViewerOptions {
  readonly title: string
  readonly view: SessionView
  /** The feed of a lens; `at` is the event of the lens `past`. May take long, and throws. */
  readonly openLens: (lens: Lens, at: string | undefined) => Feed
  readonly copy: (text: string) => void
  /** Draws the screen between the parts of long work. */
  readonly redraw: () => Promise<void>
}

/** Keys and what they do, as the help shows them. */
export const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓  k j', 'scroll by a line'],
  ['PgUp PgDn  b Space', 'scroll by a page'],
  ['g G', 'first event, last event'],
  ['Tab Shift-Tab', 'next item, previous item'],
  ['Enter  o', 'open or close the item'],
  ['O', 'open or close all items'],
  ['p P', 'next prompt, previous prompt'],
  ['e E', 'next error, previous error'],
  ['c C', 'next compaction, previous compaction'],
  ['/ n N', 'search, next match, previous match'],
  ['l', 'lens: written, what the model sees'],
  ['a', 'lens: what the model saw when this event was the newest'],
  ['r', 'the event as JSON, with its place in the file'],
  ['y', 'copy the id of the event'],
  ['F', 'follow: stay at the end as the log grows'],
  ['? q', 'this help, quit'],
]

export class Viewer {
  readonly #options: ViewerOptions
  readonly #view: SessionView
  #lens: Lens = 'written'
  #at: string | undefined
  #query: string | undefined
  #target: Target | undefined
  #message = ''
  #isHelp = false
  #isStopped = false
  isFollowing: boolean

  constructor(options: ViewerOptions, { isFollowing }: { isFollowing: boolean }) {
    this.#options = options
    this.#view = options.view
    this.isFollowing = isFollowing
  }

  /** Stops a search that is under way. */
  stop(): void {
    this.#isStopped = true
  }

  /** Whether the reader wants to leave. */
  async press(key: Key): Promise<boolean> {
    this.#message = ''
    this.#isStopped = false
    const name = key.ctrl === true ? `ctrl-${key.name}` : (key.name ?? '')
    if (name === 'ctrl-c') return true
    if (this.#query !== undefined) {
      await this.#type(key, name)
      return false
    }
    if (this.#isHelp) {
      this.#isHelp = false
      return false
    }
    return this.#act(key, name)
  }

  async #act(key: Key, name: string): Promise<boolean> {
    const view = this.#view
    switch (name) {
      case 'up':
        view.scroll(-1)
        return false
      case 'down':
        view.scroll(1)
        return false
      case 'pageup':
      case 'ctrl-b':
        view.scroll(-view.page)
        return false
      case 'pagedown':
      case 'space':
      case 'ctrl-f':
        view.scroll(view.page)
        return false
      case 'home':
        view.goToStart()
        return false
      case 'end':
        view.goToEnd()
        return false
      case 'tab':
        view.select(key.shift === true ? 'backward' : 'forward')
        return false
      case 'return':
      case 'enter':
        view.toggle()
        return false
      default:
        return this.#actOnCharacter(key.sequence ?? '')
    }
  }

  async #actOnCharacter(character: string): Promise<boolean> {
    const view = this.#view
    switch (character) {
      case 'q':
        return true
      case '?':
        this.#isHelp = true
        break
      case 'k':
        view.scroll(-1)
        break
      case 'j':
        view.scroll(1)
        break
      case 'b':
        view.scroll(-view.page)
        break
      case 'g':
        view.goToStart()
        break
      case 'G':
        view.goToEnd()
        break
      case 'o':
        view.toggle()
        break
      case 'O':
        view.toggleAll()
        break
      case 'r':
        view.toggleRaw()
        break
      case 'y':
        this.#copyId()
        break
      case 'F':
        this.isFollowing = !this.isFollowing
        if (this.isFollowing) view.goToEnd()
        break
      case 'l':
        await this.#look(this.#lens === 'written' ? 'seen' : 'written')
        break
      case 'a':
        await this.#look('past')
        break
      case '/':
        this.#query = ''
        break
      default:
        await this.#jumpBy(character)
    }
    return false
  }

  async #jumpBy(character: string): Promise<void> {
    const direction = character === character.toLowerCase() ? 'forward' : 'backward'
    const targets: Record<string, Target | undefined> = {
      p: PROMPTS,
      e: ERRORS,
      c: BOUNDARIES,
      n: this.#target,
    }
    const target = targets[character.toLowerCase()]
    if (target !== undefined) await this.#jump(target, direction)
    else if (character.toLowerCase() === 'n') this.#message = 'nothing was searched yet; / searches'
  }

  async #type(key: Key, name: string): Promise<void> {
    const query = this.#query!
    if (name === 'escape') this.#query = undefined
    else if (name === 'backspace')
      this.#query = query === '' ? undefined : [...query].slice(0, -1).join('')
    else if (name === 'return' || name === 'enter') {
      this.#query = undefined
      if (query !== '') this.#target = textTarget(query)
      if (this.#target !== undefined) await this.#jump(this.#target, 'forward')
    } else if (isTyped(key)) this.#query = query + key.sequence
  }

  async #jump(target: Target, direction: Direction): Promise<void> {
    const steps = this.#view.jump(target, direction)
    for (;;) {
      const step = steps.next()
      if (step.done === true) {
        if (step.value === 'none') this.#message = `no ${target.wraps ? '' : 'more '}${target.name}`
        if (step.value === 'wrapped') this.#message = 'search continued at the other end'
        return
      }
      this.#message = `searching … ${Math.floor(step.value * 100)} %  (any key stops)`
      await this.#options.redraw()
      this.#message = ''
      if (!this.#isStopped) continue
      steps.return('none')
      this.#message = 'search stopped'
      return
    }
  }

  async #look(lens: Lens): Promise<void> {
    const { event, byteOffset } = this.#view.selected?.entry ?? {}
    if (lens === 'past' && event === undefined) {
      this.#message = 'select an event first'
      return
    }
    this.#message = 'reading …'
    await this.#options.redraw()
    this.#message = ''
    try {
      const at = lens === 'past' ? event?.uuid : undefined
      const feed = this.#options.openLens(lens, at)
      const key = event === undefined ? undefined : feed.find(event.uuid, byteOffset)
      this.#view.show(feed, key)
      this.#lens = lens
      this.#at = at
      if (key === undefined && event !== undefined) {
        this.#message = `the model does not see ${shortId(event.uuid)} here`
      }
    } catch (error) {
      this.#message = (error as Error).message
    }
  }

  #copyId(): void {
    const uuid = this.#view.selected?.entry.event?.uuid
    if (uuid === undefined) return
    this.#options.copy(uuid)
    this.#message = `copied ${uuid}`
  }

  get highlight(): Paint['matches'] {
    return this.#target?.highlight ?? (() => [])
  }

  /** The lines of the screen and, last, the status. */
  screen(rows: number): { readonly lines: readonly StyledLine[]; readonly status: string } {
    const lines = this.#isHelp ? helpLines() : this.#view.lines()
    const filled = Array.from({ length: rows }, (_, row) => lines[row] ?? [])
    return {
      lines: filled,
      status: this.#query === undefined ? this.#status() : `/${this.#query}▏`,
    }
  }

  #status(): string {
    const at = this.#at === undefined ? '' : ` ${shortId(this.#at)}`
    const parts = [
      ...(this.#message === '' ? [] : [this.#message]),
      `${LENS_NAMES[this.#lens]}${at}`,
      `${Math.round(this.#view.progress * 100)} %`,
      ...(this.isFollowing ? ['following'] : []),
      '? help',
      this.#options.title,
    ]
    return parts.join('  ·  ')
  }
}

function helpLines(): StyledLine[] {
  return [
    [],
    ...KEYS.map(
      ([keys, what]): StyledLine => [
        { text: `  ${keys.padEnd(22)}`, style: 'bold' },
        { text: what },
      ],
    ),
    [],
    [{ text: '  any key returns to the session', style: 'dim' }],
  ]
}
