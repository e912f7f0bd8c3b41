import { resume } from '../../lib/cli/commands/daily/resume.js'
import { alone, loadMain } from '../alone.js'

export const main = alone(resume, {
  launch: async (request) => (await loadMain()).launchProgram(request),
})
