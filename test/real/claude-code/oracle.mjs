// What Claude Code sent to its model, as a message list. Imports nothing of lib/.

import { flattenContent } from '../rig/messages.mjs'

const REMINDER = /<system-reminder>([\s\S]*?)<\/system-reminder>/g
/** A prompt that was typed while the model worked is sent inside a reminder. */
const QUEUED =
  /The user sent a new message while you were working:\n([\s\S]*?)\n\n(?:IMPORTANT: After completing your current task|This is how Claude Code surfaces)/g
/** The end of a background task is reported in one, too. */
const NOTIFICATION = /<task-notification>[\s\S]*?<\/task-notification>/g
/** What the client adds itself when a conversation ends with a message of the user. */
const FILLERS = [
  { role: 'user', text: 'Continue from where you left off.' },
  { role: 'assistant', text: 'No response requested.' },
]

/** Nothing: all texts of a conversation are in the transcript, and the client sends them as they are. */
export const WORDING = []

/**
 * The messages of a request up to the prompt that contains `probe`. `recorded`: texts of messages in the
 * transcript; a reminder that is one of them belongs to the conversation.
 */
export function listSent({ messages }, probe, recorded = []) {
  const isRecorded = ({ text }) => recorded.includes(text?.trim())
  const withoutOthers = (entry) => (isRecorded(entry) ? [entry] : withoutReminders(entry))
  const list = messages.flatMap(({ role, content }) =>
    role === 'system'
      ? queuedPrompts(String(content))
      : flattenContent(role, content).flatMap(withoutOthers),
  )
  const sent = list.slice(
    0,
    list.findLastIndex(({ text }) => text?.includes(probe)),
  )
  while (FILLERS.some((filler) => isFiller(sent.at(-1), filler))) sent.pop()
  return sent
}

function isFiller(entry, { role, text }) {
  return entry?.role === role && entry.kind === 'text' && entry.text.trim() === text
}

/** Reminders are made for every request; only prompts inside them are part of the conversation. */
function withoutReminders(entry) {
  if (entry.text === undefined) return [entry]
  const queued = [...entry.text.matchAll(REMINDER)].flatMap(([, text]) => queuedPrompts(text))
  const text = entry.text.replaceAll(REMINDER, '').trim()
  if (text === '' && entry.kind === 'text') return queued
  return [{ ...entry, text }, ...queued]
}

function queuedPrompts(text) {
  const prompts = [...text.matchAll(QUEUED)].map(([, prompt]) => prompt)
  const notifications = [...text.matchAll(NOTIFICATION)].map(([whole]) => whole)
  return [...prompts, ...notifications].map((one) => ({
    role: 'user',
    kind: 'text',
    text: one.trim(),
  }))
}
