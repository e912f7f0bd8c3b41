// What a tool is to a model: a name, an account of itself, what it takes, and an answer in words
// and as data.

import type * as z from 'zod'
import type { StoreContext } from '../store/index.js'

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
