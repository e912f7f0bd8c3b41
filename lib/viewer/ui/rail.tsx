// The tree beside a session: where it came from, what branched off, its compactions and subagents.

import type { Relative, Tree } from '../data/types.js'
import type { SessionModel } from '../model/session-model.js'
import { formatCost, formatTime, formatTokens } from './format.js'

interface Props {
  readonly model: SessionModel
  /** Opens another session; absent where there is only this one. */
  readonly onSession?: ((id: string, uuid: string | null) => void) | undefined
}

export function Rail({ model, onSession }: Props) {
  const { tree } = model
  if (tree === undefined) return <p class="waiting">Reading the tree…</p>
  return (
    <>
      <Relatives name="Continues" list={tree.ancestors} onSession={onSession} />
      <Branches tree={tree} model={model} />
      <Group name="Compactions" count={tree.boundaries.length}>
        {tree.boundaries.map(({ uuid, ts, active }) => (
          <Place key={uuid} model={model} uuid={uuid} isLeft={!active}>
            {formatTime(ts)}
          </Place>
        ))}
      </Group>
      <Group name="Rewinds" count={tree.rewinds.length}>
        {tree.rewinds.map(({ uuid, ts, active }) => (
          <Place key={uuid} model={model} uuid={uuid} isLeft={!active}>
            {formatTime(ts)}
          </Place>
        ))}
      </Group>
      <Group name="Subagents" count={tree.subagents.length}>
        {tree.subagents.map(({ taskId, spawnUuid, title, status, tokens, costMicroUsd }) => (
          <Place key={taskId} model={model} uuid={spawnUuid}>
            {title ?? taskId}
            <span class="dim">
              {[status, formatTokens(tokens), formatCost(costMicroUsd)].filter(Boolean).join(' · ')}
            </span>
          </Place>
        ))}
      </Group>
      <Relatives name="Continued by" list={tree.descendants} onSession={onSession} />
    </>
  )
}

const CAUSES: Readonly<Record<string, string>> = {
  root: 'from the start',
  rewind: 'after a rewind',
  superseding: 'a reply that was replaced',
  link: 'another path',
}

function Branches({ tree, model }: { readonly tree: Tree; readonly model: SessionModel }) {
  return (
    <Group name="Branches" count={tree.branches.length}>
      {tree.branches.map(({ firstUuid, lastUuid, cause, active, events, lastAt }) => (
        <Place key={firstUuid} model={model} uuid={active ? lastUuid : firstUuid} isLeft={!active}>
          {active ? 'Current' : (CAUSES[cause] ?? cause)}
          <span class="dim">
            {events} events · {formatTime(lastAt)}
          </span>
        </Place>
      ))}
    </Group>
  )
}

function Group(props: {
  readonly name: string
  readonly count: number
  readonly children: preact.ComponentChildren
}) {
  if (props.count === 0) return null
  return (
    <section>
      <h2>
        {props.name} <span class="dim">{props.count}</span>
      </h2>
      <ul>{props.children}</ul>
    </section>
  )
}

function Place(props: {
  readonly model: SessionModel
  readonly uuid: string | null
  readonly isLeft?: boolean
  readonly children: preact.ComponentChildren
}) {
  const { model, uuid, isLeft } = props
  return (
    <li>
      <button
        type="button"
        class={isLeft ? 'left' : ''}
        disabled={uuid === null}
        onClick={() => void (uuid && model.reveal(uuid))}
      >
        {props.children}
      </button>
    </li>
  )
}

function Relatives(props: {
  readonly name: string
  readonly list: readonly Relative[]
  readonly onSession: Props['onSession']
}) {
  const { name, list, onSession } = props
  return (
    <Group name={name} count={list.length}>
      {list.map(({ sessionId, kind, title, atUuid }) => (
        <li key={sessionId}>
          <button
            type="button"
            disabled={onSession === undefined}
            onClick={() => onSession?.(sessionId, name === 'Continues' ? atUuid : null)}
          >
            {title ?? sessionId}
            <span class="dim">{kind}</span>
          </button>
        </li>
      ))}
    </Group>
  )
}
