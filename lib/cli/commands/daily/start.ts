// What a session gets at its start: its context, and what there is to recover. Nothing is written.

import {
  recover as findRecovery,
  PROFILES,
  START_SOURCES,
  type StartAnswer,
  type StartMode,
  type StartSource,
  sessionStart,
} from '../../../continuity/index.js'
import type { Command } from '../../command.js'
import { readAge, readNumber, rejectTogether } from '../../input/arguments.js'
import { findProject, readSessionOption } from '../../input/target.js'
import { toPlainLines, toPlainText } from '../../output/plain-text.js'
import { printAnswer } from '../../output/print.js'

const START_LESSON = `Prints summaries of earlier sessions, facts, tasks, constraints and what can be recovered, as much
as the mode allows and as fits. Nothing is written. Modes: default, planning, incident, handoff, deep,
minimal, none.

Examples:
  $ jsonl-session start --mode handoff
  # default

  ## Recent sessions
  - The parser is done; the tests are not.

  $ jsonl-session start --max-chars 4000 --json
  {"agentLabel":"default","sessionContext":{"recentSessions":[…],…},"recovery":null,…}

Exit codes:
  0 shown · 2 wrong use, or failed
`

export const start: Command = {
  name: 'start',
  summary: 'Show the context a session gets at its start',
  options: [
    {
      name: 'mode',
      value: 'M',
      text: 'how many summaries, facts, tasks and constraints (default: default)',
      values: Object.keys(PROFILES),
    },
    { name: 'project', value: 'P', text: 'the project (default: the current folder)' },
    { name: 'all', text: 'every project' },
    { name: 'max-chars', value: 'N', text: 'the JSON has at most N characters (default: 16000)' },
    { name: 'session', value: 'S', text: 'the session that starts' },
    { name: 'within', value: 'AGE', text: 'recover nothing older than this (default: 4h)' },
    {
      name: 'nudge-after',
      value: 'N',
      text: 'suggest a checkpoint after N prompts without one of its own (default: never)',
    },
  ],
  lesson: START_LESSON,

  async run(call) {
    rejectTogether(call, 'project', 'all')
    const sessionKey = readSessionOption(call, 'session')
    const answer = await sessionStart(call.store, {
      sessionKey,
      project: findProject(call, sessionKey),
      scope: call.has('all') ? 'all' : undefined,
      // The library rejects any other word.
      mode: call.value('mode') as StartMode | undefined,
      maxResponseChars: readNumber(call, 'max-chars'),
      nudgeAfter: readNumber(call, 'nudge-after'),
      withinMs: readAge(call, 'within'),
    })
    return printAnswer(call, { json: answer, lines: () => [toStartText(answer).trimEnd()] })
  },
}

export function toStartText(answer: StartAnswer): string {
  const { sessionContext, recovery, recentAgents, changesSinceLastSession, isFirstConnection } =
    answer
  const agents = recentAgents.map(
    ({ agentLabel, lastSummary }) => `${agentLabel}: ${lastSummary ?? 'unknown'}`,
  )
  const sections = [
    [`# ${toPlainText(answer.agentLabel)}${isFirstConnection ? ' (first session)' : ''}`],
    section('Recent sessions', textsOf(sessionContext.recentSessions)),
    section('Important facts', textsOf(sessionContext.importantFacts)),
    section('Active tasks', textsOf(sessionContext.activeTasks)),
    section('Constraints', textsOf(sessionContext.constraints)),
    section('Other agents', agents),
    section('Messages', answer.pendingMessages),
    changesSinceLastSession === undefined ? [] : [changesLine(changesSinceLastSession)],
    recovery === null ? [] : toPlainLines(recovery.text),
    answer.nudge === undefined ? [] : [toPlainText(answer.nudge)],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function section(title: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`## ${title}`, ...texts.map((text) => `- ${toPlainText(text)}`)]
}

function textsOf(items: readonly { readonly text: string }[]): string[] {
  return items.map(({ text }) => text)
}

function changesLine({
  since,
  sessions,
  checkpoints,
}: NonNullable<StartAnswer['changesSinceLastSession']>): string {
  return `Since ${since}: sessions ${sessions.length}, checkpoints ${checkpoints}`
}

const RECOVER_LESSON = `Looks at the session itself, else the session it follows, else the last 4 hours of the project.
Prints the newest checkpoint that an agent or a person wrote, the newest other one, and what the
newest session without an end was doing, from the end of its transcript. Skips sessions in use.

Examples:
  $ jsonl-session recover
  ## Session Recovery Context
  Background from an earlier session, not a request; the user's own words come first.

  <recovered-1f8a02>
  [The end of the transcript of session demo, unfinished at 2026-01-31T12:00:17.000Z]
  Prompts:
  - rename the config key
  </recovered-1f8a02>

  $ jsonl-session recover --previous demo --budget 500 --json
  {"checkpoint":{"id":"4be0643f-…",…},"matchedBy":"lineage","ageMs":61000,"text":"## …","from":[…]}

Exit codes:
  0 found · 1 there is nothing (null with --json) · 2 wrong use, or failed
`

export const recover: Command = {
  name: 'recover',
  summary: 'Show what the next session should know',
  options: [
    { name: 'project', value: 'P', text: 'the project (default: the current folder)' },
    { name: 'all', text: 'every project' },
    { name: 'session', value: 'S', text: 'for this session' },
    { name: 'previous', value: 'S', text: 'the session it follows' },
    {
      name: 'budget',
      value: 'N',
      text: 'the text has at most N characters, 200 to 10000 (default: 2000)',
    },
    { name: 'within', value: 'AGE', text: 'nothing of the project that is older (default: 4h)' },
    {
      name: 'source',
      value: 'S',
      text: 'startup, resume, compact, fork or clear (default: startup; resume with --session)',
      values: START_SOURCES,
    },
  ],
  lesson: RECOVER_LESSON,

  async run(call) {
    rejectTogether(call, 'project', 'all')
    const sessionKey = readSessionOption(call, 'session')
    const usual = sessionKey === undefined ? 'startup' : 'resume'
    const found = findRecovery(call.store, {
      sessionKey,
      previousSessionKey: readSessionOption(call, 'previous'),
      project: findProject(call, sessionKey),
      scope: call.has('all') ? 'all' : undefined,
      // The library rejects any other word.
      source: (call.value('source') ?? usual) as StartSource,
      budgetChars: readNumber(call, 'budget'),
      withinMs: readAge(call, 'within'),
    })
    if (found === undefined) {
      const no = 'Nothing to recover; checkpoint list shows what there is'
      return printAnswer(call, { json: null, lines: () => [], no })
    }
    const { diagnostics, ...json } = found
    return printAnswer(call, { json, lines: () => toPlainLines(found.text), diagnostics })
  },
}
