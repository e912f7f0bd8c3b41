// The log of a subagent, in the place where it was started.

import { useEffect, useMemo, useState } from 'preact/hooks'
import { SubagentSource } from '../data/subagent-source.js'
import { SessionModel } from '../model/session-model.js'
import { formatCost, formatTokens } from './format.js'
import { ItemView } from './item.js'
import { useModel } from './use-model.js'

const ITEMS_AT_ONCE = 50

interface Props {
  readonly model: SessionModel
  readonly task: string
}

export function SubagentLog({ model, task }: Props) {
  const [isOpen, setOpen] = useState(false)
  const agent = model.tree?.subagents.find(({ taskId }) => taskId === task)
  const facts = [agent?.status, formatTokens(agent?.tokens), formatCost(agent?.costMicroUsd)]
  return (
    <div class="subagent-log">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Close' : 'Open'} the log of {agent?.title ?? task}
      </button>
      <span class="dim">{facts.filter(Boolean).join(' · ')}</span>
      {isOpen && <OpenLog model={model} task={task} />}
    </div>
  )
}

function OpenLog({ model, task }: Props) {
  const child = useMemo(() => new SessionModel(new SubagentSource(model.source, task)), [task])
  const [count, setCount] = useState(ITEMS_AT_ONCE)
  const [raw, setRaw] = useState<number>()
  useModel(child)
  useEffect(() => {
    void child.open(undefined)
    return () => child.close()
  }, [child])
  const shown = child.items.slice(0, count)
  useEffect(() => child.feed.request(shown.flatMap(({ index, results }) => [index, ...results])))
  const event = raw === undefined ? undefined : child.bodyOf(raw)?.event
  return (
    <div class="nested">
      {child.error !== undefined && <p class="failed">{child.error}</p>}
      {shown.map((item, place) => (
        <ItemView key={item.key} model={child} item={item} place={place} onRaw={setRaw} />
      ))}
      {event !== undefined && <pre class="code">{JSON.stringify(event, null, 2)}</pre>}
      {count < child.items.length && (
        <button type="button" onClick={() => setCount(count + ITEMS_AT_ONCE)}>
          Show {Math.min(ITEMS_AT_ONCE, child.items.length - count)} more
        </button>
      )}
    </div>
  )
}
