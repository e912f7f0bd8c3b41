// Recording a prompt, in memory: what it costs to keep count, against keeping the prompts alone.

import { readdirSync } from 'node:fs'
import { compareVariants } from '../harness.mjs'
import { loadContinuity } from '../library.mjs'

const SLICE = 100_000
const PROMPTS = Array.from({ length: 64 }, (_, number) => `prompt ${number} ${'x'.repeat(200)}`)
const SESSIONS = Array.from({ length: 10 }, (_, number) => `session-${number}`)
const HARNESS = 'bench'

export const continuityCases = [
  recording('continuity-prompt', { target: { most: 2 }, record: recordOne }),
  recording('continuity-prompt-due', { record: recordAndAsk }),
  recording('continuity-prompt-10-sessions', { record: recordInTurn }),
]

function recording(name, { target, record }) {
  return {
    name,
    against: 'pushing onto an array',
    durability: 'in memory',
    unit: '× time',
    target,
    async measure({ folder, isQuick }) {
      const { createContinuity } = await loadContinuity()
      const variants = { ours: ours(createContinuity, record), baseline: array() }
      const settings = { folder, slice: SLICE, rounds: isQuick ? 40 : 200 }
      const compared = await compareVariants(variants, settings)
      return [{ ...compared, value: 1 / compared.ratio, valueP25: 1 / compared.ratioP25 }]
    },
  }
}

function ours(createContinuity, record) {
  return {
    open(folder) {
      const continuity = createContinuity()
      for (const sessionKey of SESSIONS) continuity.initContinuity({ sessionKey, harness: HARNESS })
      let recorded = 0
      return {
        run(count) {
          record(continuity, count)
          recorded += count
        },
        check() {
          const total = SESSIONS.reduce(
            (sum, session) => sum + continuity.getState(session).totalPromptCount,
            0,
          )
          if (total !== recorded) throw new Error(`${recorded} were recorded, ${total} counted`)
          if (readdirSync(folder).length > 0) throw new Error('a file was written')
        },
        close() {},
      }
    },
  }
}

function array() {
  return {
    open() {
      let prompts = []
      return {
        // A new one each time, so that copying millions is not measured.
        prepare() {
          prompts = []
        },
        run(count) {
          for (let done = 0; done < count; done++) prompts.push(PROMPTS[done & 63])
        },
        check() {
          if (prompts.length !== SLICE) throw new Error('not everything was pushed')
        },
        close() {},
      }
    },
  }
}

function recordOne(continuity, count) {
  const session = SESSIONS[0]
  for (let done = 0; done < count; done++) continuity.recordPrompt(session, PROMPTS[done & 63])
}

function recordAndAsk(continuity, count) {
  const session = SESSIONS[0]
  for (let done = 0; done < count; done++) {
    continuity.recordPrompt(session, PROMPTS[done & 63])
    if (continuity.shouldCheckpoint(session)) continuity.consumeState(session)
  }
}

function recordInTurn(continuity, count) {
  for (let done = 0; done < count; done++) {
    continuity.recordPrompt(SESSIONS[done % SESSIONS.length], PROMPTS[done & 63])
  }
}
