import { remember } from '../../lib/cli/commands/remember.js'
import { alone } from '../alone.js'

export const main = alone(remember)
