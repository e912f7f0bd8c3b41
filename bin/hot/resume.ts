import { resume } from '../../lib/cli/commands/daily/resume.js'
import { alone } from '../alone.js'

export const main = alone(resume)
