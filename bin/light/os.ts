// Instead of node:os in commands that scripts call for every event: few of them ask the system
// anything, and loading the module asks it several things.

const load = () => process.getBuiltinModule('node:os')

export default {
  homedir: () => load().homedir(),
  tmpdir: () => load().tmpdir(),
  hostname: () => load().hostname(),
}
