// What the fake model answers. Words in the last prompt choose the reply, so a scenario is readable by
// its prompts, and the server keeps no state between requests:
//
//   TOOL <command>   one shell call, then a text            THINK        reasoning first
//   TOOLS <n>        n parallel shell calls                 SAY          a text before the calls
//   CHAIN <n>        n calls one after the other            BIG <kb>     a long text
//   SLOW <s>         a pause in the middle of the stream    HANG         the stream never ends
//   FAIL <status>    an HTTP error                          TOKENS <n>   reports so many input tokens
//   CALL <name> <json>   a call of any tool of the client   CALLS <n> <name> <json>   n of them
//   ALWAYS <word>        this text and nothing else
//
// A request for a summary gets SUMMARY-<n>.

const SUMMARY_REQUEST =
  /CONTEXT CHECKPOINT COMPACTION|<state_snapshot>|context summarization|structured context checkpoint|summarize the conversation|Generate a .*summary|scratchpad|anchored summary|create a detailed summary|PREFIX of a turn|summary of this conversation branch/i

/** Counts what it made, so that every text and call of a run differs. */
export class Script {
  #replies = 0
  #calls = 0
  #summaries = 0

  /**
   * `messages`: `{ role, kind: 'text'|'call'|'result', text }` in order; `system`: the system prompt.
   * Returns what to answer: `{ fail }`, or `{ summary?, think, text, calls, slow, hang, tokens }`.
   */
  plan(messages, { isSummary } = {}) {
    const promptAt = messages.findLastIndex(({ role, kind }) => role === 'user' && kind === 'text')
    const prompt = messages[promptAt]?.text ?? ''
    if (isSummary ?? (SUMMARY_REQUEST.test(prompt) && !/SUMMARY-\d/.test(prompt))) {
      return {
        ...NOTHING,
        isSummary: true,
        text: `SUMMARY-${++this.#summaries}`,
        slow: numberAfter('SLOWCOMPACT', prompt) ?? 0,
      }
    }
    const fail = numberAfter('FAIL', prompt)
    if (fail !== undefined) return { ...NOTHING, fail }
    const results = messages.slice(promptAt + 1).filter(({ kind }) => kind === 'result').length
    const calls = this.#chooseCalls(prompt, results)
    const big = numberAfter('BIG', prompt)
    const shown = prompt.slice(-40).replace(/\s+/g, ' ')
    const always = /\bALWAYS ([\w.]+)/.exec(prompt)?.[1]
    const reply = () => always ?? `REPLY-${++this.#replies} to [${shown}]`
    const text =
      calls.length === 0
        ? reply()
        : /\bSAY\b/.test(prompt)
          ? `Saying before call ${this.#calls}.`
          : ''
    return {
      ...NOTHING,
      calls,
      text: big === undefined ? text : `${text}\n${'lorem ipsum dolor '.repeat(big * 57)}`,
      think: /\bTHINK\b/.test(prompt) ? `thinking ${this.#replies + this.#calls}` : undefined,
      slow: numberAfter('SLOW', prompt) ?? 0,
      hang: /\bHANG\b/.test(prompt),
      tokens: numberAfter('TOKENS', prompt),
    }
  }

  #chooseCalls(prompt, results) {
    const shell = (command) => ({ id: this.#nextId(), command })
    const chain = numberAfter('CHAIN', prompt)
    if (chain !== undefined) return results < chain ? [shell(`echo chain-${results}`)] : []
    if (results > 0) return []
    const parallel = numberAfter('TOOLS', prompt)
    if (parallel !== undefined) {
      return Array.from({ length: parallel }, (_, index) => shell(`echo par-${index}`))
    }
    const several = /\bCALLS (\d+) (\S+) (\{.*\})/.exec(prompt)
    if (several !== null) {
      const [, count, name, input] = several
      const call = () => ({ id: this.#nextId(), name, input: JSON.parse(input) })
      return Array.from({ length: Number(count) }, call)
    }
    const named = /\bCALL (\S+) (\{.*\})/.exec(prompt)
    if (named !== null) return [{ id: this.#nextId(), name: named[1], input: JSON.parse(named[2]) }]
    const single = /\bTOOL (.+)/.exec(prompt)
    return single === null ? [] : [shell(single[1].trim())]
  }

  #nextId() {
    return `call_${++this.#calls}`
  }
}

const NOTHING = { calls: [], text: '', think: undefined, slow: 0, hang: false, tokens: undefined }

function numberAfter(word, prompt) {
  const found = new RegExp(`\\b${word} (\\d+)`).exec(prompt)
  return found === null ? undefined : Number(found[1])
}
