import { hooksRun } from '../../lib/cli/commands/plumbing/hooks-run.js'
import * as hooks from '../../lib/hooks/index.js'
import { alone } from '../alone.js'

export const main = alone(hooksRun, { hooks: async () => hooks })
