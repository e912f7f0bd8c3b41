import { append } from '../../lib/cli/commands/plumbing/append.js'
import { alone } from '../alone.js'

export const main = alone(append)
