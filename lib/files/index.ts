// The door of the room that knows the user's files: the only one that may write them.

export { type ChosenState, chooseStates, type DatedFiles } from './choose-states.js'
export { type FileManifest, manifestText, type SavedFile, sha256Of } from './manifest.js'
export {
  type FileAction,
  type PlannedFile,
  planRestore,
  type RestorePlan,
} from './plan-restore.js'
export { type Project, projectAt } from './project-path.js'
export { actionOf, type RestoredFile, restoreFiles } from './restore-files.js'
export { type SavedFiles, saveFiles } from './save-files.js'
