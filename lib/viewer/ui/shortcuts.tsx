// Keys, and the page that lists them.

import { Dialog } from './dialog.js'

export const SESSION_KEYS: Readonly<Record<string, string>> = {
  j: 'nextPrompt',
  k: 'previousPrompt',
  e: 'nextError',
  E: 'previousError',
  b: 'nextBoundary',
  B: 'previousBoundary',
  ArrowDown: 'down',
  ArrowUp: 'up',
  g: 'first',
  G: 'last',
  Enter: 'fold',
  o: 'fold',
  r: 'raw',
  '/': 'search',
  n: 'nextMatch',
  N: 'previousMatch',
  '1': 'written',
  '2': 'seen',
  '3': 'asOf',
  t: 'tree',
  y: 'copyId',
  c: 'copyResume',
  '?': 'help',
  Escape: 'escape',
}

const HELP: readonly (readonly [string, string])[] = [
  ['j  k', 'next and previous prompt'],
  ['e  E', 'next and previous error'],
  ['b  B', 'next and previous compaction'],
  ['↓  ↑', 'next and previous item'],
  ['g  G', 'first and last item'],
  ['Enter  o', 'fold or unfold'],
  ['r', 'raw JSON and byte range'],
  ['/  n  N', 'search, next and previous match'],
  ['1  2  3', 'written, seen, as of this event'],
  ['t', 'tree'],
  ['y', 'copy the id of the event'],
  ['c', 'copy the resume command'],
  ['Ctrl-K  ⌘-K', 'search all sessions'],
  ['Esc', 'close or clear'],
]

/** The key of an event, if no other key is pressed with it. */
export function keyOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  return ctrlKey || metaKey || altKey ? '' : key
}

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog label="Keyboard shortcuts" onClose={onClose}>
      <h2>Keyboard shortcuts</h2>
      <dl class="shortcuts">
        {HELP.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
  )
}
