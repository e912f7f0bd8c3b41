// Hooks as their harness meets them: a whole process per event, the start of Node included, in a store of
// 10,000 sessions. Every event that we register, with the transcript of the client and without one.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareTimes } from '../harness.mjs'
import { HarnessSession, makeHookStore, PROJECT } from '../hook-sessions.mjs'
import { BINARY } from '../library.mjs'
import { timeProcess } from '../processes.mjs'

const BARE_APPEND = `
const fs = require('node:fs')
const fd = fs.openSync(process.argv[1], 'a', 0o600)
fs.writeSync(fd, fs.readFileSync(0))
fs.fdatasyncSync(fd)
`

const FREQUENT = { most: 1.35 }
/** The events, in the order of a session, and what they may cost. */
const EVENTS = {
  SessionStart: { most: 1.6 },
  UserPromptSubmit: FREQUENT,
  UserPromptExpansion: undefined,
  PreToolUse: FREQUENT,
  PostToolUse: FREQUENT,
  PostToolUseFailure: undefined,
  PostToolBatch: undefined,
  SubagentStart: undefined,
  SubagentStop: undefined,
  PreCompact: undefined,
  PostCompact: undefined,
  Stop: FREQUENT,
  StopFailure: undefined,
  SessionEnd: undefined,
}
const KINDS = { followed: 'with the transcript of the client', alone: 'without a transcript' }
const HOOKS_PER_BASELINE = 4
// The first ones find nothing in the caches, and a new log.
const WARM_UP_ROUNDS = 2

export const hookCases = [
  {
    name: 'hooks',
    durability: 'turn',
    rows: [
      {
        against: 'UserPromptSubmit, to node with one synced append',
        unit: '× time',
        target: FREQUENT,
      },
      ...Object.values(KINDS).flatMap((kind) =>
        Object.entries(EVENTS).map(([name, target]) => ({
          against: `${name} ${kind}, to node -e 0`,
          unit: '× time',
          ...(target !== undefined && { target }),
        })),
      ),
    ],
    async measure({ folder, isQuick }) {
      const clients = await makeHookStore(folder)
      const rounds = isQuick ? 8 : 40
      const times = sampleRounds({ folder, clients }, rounds)
      check(folder, rounds + WARM_UP_ROUNDS)
      return [
        compared(times, 'prompt', 'append'),
        ...Object.keys(KINDS).flatMap((kind) =>
          Object.keys(EVENTS).map((name) => compared(times, `${kind} ${name}`, 'node')),
        ),
      ]
    },
  },
]

/** The events of one session depend on each other, so each round is a session in its order. */
function sampleRounds({ folder, clients }, rounds) {
  const times = {}
  let round = 0
  let hookCount = 0
  const take = (name, micros) => {
    times[name] ??= []
    if (round >= WARM_UP_ROUNDS) times[name].push(micros)
  }
  const baselines = ['node', 'nodeAgain']
  const hook = (kind) => (name, event) => {
    const args = [BINARY, 'hook', name, '--root', folder, '--home', folder]
    take(`${kind} ${name}`, timeProcess(args, JSON.stringify(event)))
    if (hookCount++ % HOOKS_PER_BASELINE > 0) return
    take(baselines[0], timeProcess(['-e', '0']))
    baselines.reverse()
  }
  const lasting = Object.fromEntries(
    Object.keys(KINDS).map((kind) => [kind, openSession(kind, `lasting-${kind}`)]),
  )
  for (; round < rounds + WARM_UP_ROUNDS; round++) {
    for (const kind of inTurns(Object.keys(KINDS), round)) {
      const short = openSession(kind, `short-${kind}-${round}`)
      short.start()
      lasting[kind].runTurn(round)
      short.runShortly()
    }
    samplePrompt(round)
  }
  return times

  function openSession(kind, id) {
    return new HarnessSession(id, hook(kind), kind === 'followed' ? clients : undefined)
  }

  function samplePrompt(number) {
    const prompt = { session_id: 'prompts', cwd: PROJECT, prompt_id: `p-${number}`, prompt: 'why?' }
    const input = JSON.stringify(prompt)
    const bare = ['-e', BARE_APPEND, join(folder, 'bare')]
    const ways = {
      append: bare,
      prompt: [BINARY, 'hook', 'UserPromptSubmit', '--root', folder, '--home', folder],
      appendAgain: bare,
    }
    for (const name of inTurns(Object.keys(ways), number)) {
      take(name, timeProcess(ways[name], input))
    }
  }
}

function inTurns(names, number) {
  const first = number % names.length
  return [...names.slice(first), ...names.slice(0, first)]
}

function compared(times, ours, baseline) {
  const all = { ours: times[ours], baseline: times[baseline], again: times[`${baseline}Again`] }
  const result = compareTimes(all)
  return { ...result, value: 1 / result.ratio, valueP25: 1 / result.ratioP25 }
}

/** What was measured must have been done. */
function check(folder, rounds) {
  const transcripts = join(folder, '.transcripts')
  const read = (name) => readFileSync(join(transcripts, `${name}.jsonl`), 'utf8')
  for (const kind of Object.keys(KINDS)) {
    const names = readdirSync(transcripts).filter((name) => name.startsWith(`short-${kind}-`))
    const ended = names.filter((name) => read(name.slice(0, -6)).includes('"session_terminator"'))
    if (ended.length !== rounds) throw new Error(`${ended.length} of ${rounds} sessions ended`)
    const lasting = read(`lasting-${kind}`)
    for (let round = 0; round < rounds; round++) {
      for (const text of HarnessSession.textsOf(round)) {
        if (!lasting.includes(text)) throw new Error(`"${text}" was not recorded ${KINDS[kind]}`)
      }
    }
  }
}
