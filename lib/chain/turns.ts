// The turns of a conversation as people read them: who speaks, and which call a result belongs to.
// The work of tools is shown below the assistant that called them, never below the user.

import { type Part, partsOf, type Source } from './message-parts.js'

/** A part, and for a result that does not directly follow its call the text of that call. */
export type TurnPart = Part & { readonly callText?: string | undefined }

/** Parts that belong together. */
export interface TurnSegment {
  /** The type of message whose name is above these parts, if it is not there already. */
  readonly heading: string | undefined
  readonly parts: readonly TurnPart[]
}

const TOOL = 'tool_result'
const ASSISTANT = 'assistant'

// More calls than any model makes at a time; the text of a call can be long.
const OPEN_CALLS_MAX = 64

export class Turns {
  #speaker: string | undefined
  /** By their ids, those without a result yet, oldest first. */
  readonly #calls = new Map<string, string>()
  #lastCallId: string | undefined

  /** Something else is shown between the turns, so that the next part needs a heading. */
  interrupt(): void {
    this.#speaker = undefined
  }

  split(turn: Source): TurnSegment[] {
    return groupParts(turn.type, partsOf(turn)).map((parts) => ({
      heading: this.#enter(turn.type, parts),
      parts: parts.map((part) => this.#label(part)),
    }))
  }

  /** The heading that these parts need. */
  #enter(type: string, parts: readonly Part[]): string | undefined {
    const isWork = parts.length > 0 && parts.every(isTool)
    const speaker = !isWork ? type : parts[0]!.kind === 'call' ? ASSISTANT : TOOL
    const isBelow = this.#speaker === ASSISTANT || this.#speaker === speaker
    if (isWork && isBelow) return undefined
    this.#speaker = speaker
    return speaker
  }

  #label(part: Part): TurnPart {
    const before = this.#lastCallId
    this.#lastCallId = part.kind === 'call' ? part.id : undefined
    if (part.kind === 'call' && part.id !== undefined) this.#remember(part.id, part.text)
    if (part.kind !== 'result' || part.id === undefined) return part
    const callText = this.#calls.get(part.id)
    this.#calls.delete(part.id)
    return callText === undefined || part.id === before ? part : { ...part, callText }
  }

  #remember(id: string, text: string): void {
    this.#calls.delete(id)
    this.#calls.set(id, text)
    if (this.#calls.size > OPEN_CALLS_MAX) this.#calls.delete(this.#calls.keys().next().value!)
  }
}

/** In one message of the user, results are apart from the words of the user. */
function groupParts(type: string, parts: readonly Part[]): readonly (readonly Part[])[] {
  if (type === ASSISTANT || parts.length === 0) return [parts]
  const groups: Part[][] = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (last !== undefined && isTool(last[0]!) === isTool(part)) last.push(part)
    else groups.push([part])
  }
  return groups
}

function isTool({ kind }: Part): boolean {
  return kind === 'call' || kind === 'result'
}
