import { prompt } from '../../lib/cli/commands/prompt.js'
import { alone } from '../alone.js'

export const main = alone(prompt)
