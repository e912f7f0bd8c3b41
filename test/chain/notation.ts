// The tiny language of fixtures/projection/cases.json: one step per string, the verb first.
//
//   m 1..6                        messages 1 to 6
//   compact S keep 5..6           a summary S and its boundary, 5 to 6 stay behind it
//   compact S prefix 1..2         … 1 to 2 stay before it
//   compact S nothing             … nothing stays
//   summary S · boundary S …      only one of the two; the words are those of `compact`
//   … covers 4 | covers nothing   what the boundary says it covers, if not what precedes its head
//   rewind to 3                   the path continues from 3
//   rewind to 5 at B              the path continues from B, cut after 5
//   again 2 · copy 2 · damage 2   the uuid once more · the line once more · the line is ruined
//   header X · unlinked 7 · after gone 8
//   revise S TEXT
//   [20, step, …]                 the steps 20 times, $ is the number of the round

import { History } from './history.js'

export type Step = string | readonly [number, ...string[]]

export function play(steps: readonly Step[], history = new History()): History {
  for (const step of steps) {
    if (typeof step === 'string') playStep(step, history)
    else {
      const [rounds, ...inner] = step
      for (let round = 1; round <= rounds; round++) {
        for (const text of inner) playStep(text.replaceAll('$', String(round)), history)
      }
    }
  }
  return history
}

function playStep(step: string, history: History): void {
  const [verb, ...words] = step.split(' ')
  const [first = '', second = ''] = words
  switch (verb) {
    case 'm':
      history.m(...words.flatMap(range))
      return
    case 'compact':
      history.compact(cutOf(words, history))
      return
    case 'summary':
      history.summary(first)
      return
    case 'boundary':
      history.boundary(cutOf(words, history))
      return
    case 'rewind':
      playRewind(words, history)
      return
    case 'again':
      history.again(first)
      return
    case 'copy':
      history.copy(history.lines.findLastIndex(({ event }) => event.uuid === first))
      return
    case 'damage':
      history.damage(first)
      return
    case 'header':
      history.header(first)
      return
    case 'unlinked':
      history.add({ type: 'user', uuid: first, prev_uuid: null, payload: { content: first } })
      return
    case 'after':
      history.add({ type: 'user', uuid: second, prev_uuid: first, payload: { content: second } })
      return
    case 'revise':
      history.revise(first, words.slice(1).join(' '))
      return
    default:
      throw new Error(`No such step: ${step}`)
  }
}

function cutOf(words: readonly string[], history: History) {
  const [summary = '', manner, ...rest] = words
  const isKeeping = manner === 'keep' || manner === 'prefix'
  const [head = null, tail = null] = isKeeping ? rest[0]!.split('..') : []
  const isPrefix = manner === 'prefix'
  const said = rest[rest.indexOf('covers') + 1]
  const coveredTo = rest.includes('covers') ? said : implied()
  return {
    summary,
    head,
    tail,
    isPrefix,
    coveredTo: coveredTo === 'nothing' ? undefined : coveredTo,
  }

  function implied(): string | undefined {
    const shown = history.shown
    return manner === 'keep' ? shown[shown.lastIndexOf(head!) - 1] : undefined
  }
}

function playRewind([, to = '', , at]: readonly string[], history: History): void {
  const uuid = `R${history.lines.length}`
  if (at === undefined) history.rewind(uuid, to)
  else history.rewind(uuid, at, to)
}

function range(text: string): string[] {
  const match = /^(.*?)(\d+)\.\.\1?(\d+)$/.exec(text)
  if (match === null) return [text]
  const [, prefix, from, to] = match
  const count = Number(to) - Number(from) + 1
  return Array.from({ length: count }, (_, index) => `${prefix}${Number(from) + index}`)
}
