// A list of any length, of which only what is on the screen is in the document.

import {
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'

export interface ListHandle {
  reveal(index: number, align: 'start' | 'center' | 'auto'): void
  isAtEnd(): boolean
  scrollToEnd(): void
}

interface Props {
  readonly count: number
  readonly estimate: (index: number) => number
  readonly keyOf: (index: number) => string
  readonly render: (index: number) => ComponentChildren
  readonly onRange?: (first: number, last: number) => void
  readonly onReady?: (handle: ListHandle) => void
  readonly class: string
  readonly role: string
  readonly label: string
  readonly isBusy?: boolean
}

const NEAR_END_PX = 60

export function VirtualList(props: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const [virtualizer] = useState(
    () => new Virtualizer<HTMLDivElement, HTMLElement>({ ...optionsOf(props), onChange: redraw }),
  )
  function optionsOf({ count, estimate, keyOf }: Props) {
    return {
      count,
      getScrollElement: () => scroller.current,
      estimateSize: estimate,
      getItemKey: keyOf,
      overscan: 6,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      measureElement,
    }
  }
  virtualizer.setOptions({ ...optionsOf(props), onChange: redraw })
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  useLayoutEffect(() => {
    props.onReady?.({
      reveal: (index, align) => virtualizer.scrollToIndex(index, { align }),
      isAtEnd: () => {
        const { scrollHeight, scrollTop, clientHeight } = scroller.current!
        return scrollHeight - scrollTop - clientHeight < NEAR_END_PX
      },
      scrollToEnd: () => virtualizer.scrollToIndex(props.count - 1, { align: 'end' }),
    })
  })
  const shown: VirtualItem[] = virtualizer.getVirtualItems()
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? -1]
  useLayoutEffect(() => {
    if (last >= 0) props.onRange?.(first, last)
  }, [first, last, props.count])
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is given by the caller
    <div
      class={`scroller ${props.class}`}
      ref={scroller}
      role={props.role as 'feed'}
      aria-label={props.label}
      aria-busy={props.isBusy === true}
      tabIndex={0}
    >
      <div class="space" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {shown.map(({ index, key, start }) => (
          <div
            key={key as string}
            data-index={index}
            class="place"
            ref={virtualizer.measureElement}
            style={{ transform: `translateY(${start}px)` }}
          >
            {props.render(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
