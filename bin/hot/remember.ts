import { remember } from '../../lib/cli/commands/daily/prompt.js'
import { alone } from '../alone.js'

export const main = alone(remember)
