// An event as it is on disk, beside the list.

import { useEffect, useRef } from 'preact/hooks'
import type { SessionModel } from '../model/session-model.js'
import { formatNumber } from './format.js'
import { RawJson } from './tool.js'

interface Props {
  readonly model: SessionModel
  readonly index: number
  readonly onClose: () => void
}

export function RawPanel({ model, index, onClose }: Props) {
  const close = useRef<HTMLButtonElement>(null)
  const row = model.feed.rows[index]
  const entry = model.bodyOf(index)
  useEffect(() => close.current?.focus(), [index])
  useEffect(() => model.feed.request([index]), [index])
  if (row === undefined) return null
  const { offset, length, sessionId } = row
  return (
    <aside class="raw" aria-label="Raw JSON">
      <header>
        <span>
          bytes {formatNumber(offset)}–{formatNumber(offset + length)}
          {sessionId !== undefined && ` of ${sessionId}`}
        </span>
        {entry?.clipped === true && (
          <button type="button" onClick={() => void model.loadWhole(index)}>
            Show all
          </button>
        )}
        <button type="button" ref={close} onClick={onClose}>
          Close
        </button>
      </header>
      <RawJson value={entry?.event ?? entry?.damage ?? row} />
    </aside>
  )
}
