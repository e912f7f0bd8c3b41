// What a tool is to a model: a name, an account of itself, what it takes, and an answer in words
// and as data.

import * as z from 'zod'
import { START_SOURCES } from '../continuity/index.js'
import { readSessionProject, type StoreContext } from '../store/index.js'

/** Where the tools work, the same for all calls of one server. */
export interface ToolContext {
  readonly store: StoreContext
  /** The same store for tools that write: it reports to `onProblem`. */
  readonly reportingStore: StoreContext
  /** The folder of the work. */
  project(): string
  /** The session of the caller, if it is known. */
  session(): string | undefined
  /** The name under which a caller without a session leaves its checkpoints. */
  readonly ownKey: string
}

export interface ToolAnswer {
  readonly text: string
  readonly data: object
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  /** It changes nothing. */
  readonly isLook: boolean
  run(input: z.infer<Input>, context: ToolContext): Promise<ToolAnswer>
}

/** Ties the type of the input to the schema it was read by. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool
}

// What several tools take, described for the model that fills it in.

const key = z.string().trim().min(1).max(1000)

export const sessionKey = key
  .optional()
  .describe('The session it is about. Leave it out for the session you are in.')

export const previousSessionKey = key.optional().describe('The session that this one follows.')

export const project = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .describe('The folder of the work. Leave it out for the folder you work in.')

export const source = z
  .enum(START_SOURCES)
  .optional()
  .describe('How the session came to start. "compact" after your context was compacted.')

export const text = z.string().trim().min(1).max(100_000)

export const runId = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe('The same for every attempt of one run: what it stored before is not stored again.')

interface Given {
  readonly sessionKey?: string | undefined
  readonly project?: string | undefined
}

/** Where an agent leaves a checkpoint: without a session, under a key of its own. */
export function placeOf(given: Given, context: ToolContext) {
  const sessionKey = given.sessionKey ?? context.session() ?? context.ownKey
  return { ...viewOf({ ...given, sessionKey }, context), sessionKey, store: context.reportingStore }
}

/** For tools that look: a session and project that may be there or not. */
export function viewOf(given: Given, context: ToolContext) {
  const sessionKey = given.sessionKey ?? context.session()
  // A session has its own project, wherever its agent works at this moment.
  const own = sessionKey === undefined ? undefined : readSessionProject(context.store, sessionKey)
  return { store: context.store, sessionKey, project: given.project ?? own ?? context.project() }
}
