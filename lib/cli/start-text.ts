// The context of a session start for people to read.

import type { StartAnswer } from '../continuity/index.js'
import { toPlainLines, toPlainText } from './plain-text.js'

export function startText(answer: StartAnswer): string {
  const { sessionContext, recovery, recentAgents, changesSinceLastSession, isFirstConnection } =
    answer
  const agents = recentAgents.map(
    ({ agentLabel, lastSummary }) => `${agentLabel}: ${lastSummary ?? 'nothing known'}`,
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
