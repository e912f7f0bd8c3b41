// A second door, for the hooks: what a harness tells from outside of the process that it runs in.
// Nothing of it is for harness authors, who have a session in their hands.

export { beforeCompactionTold, compactTold } from './told-compaction.js'
export { endTold } from './told-end.js'
export { promptTold } from './told-prompt.js'
export { recordTold, type Told } from './told-record.js'
export { startTold } from './told-start.js'
export { finishTold, recordInSidechain, spawnTold, type ToldSubagent } from './told-subagent.js'
export { takeWaiting } from './told-waiting.js'
