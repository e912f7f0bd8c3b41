// Entry point of the module for the user's own files: the only one that writes them.

export { BlobReader } from './blobs.js'
export { type FileManifest, manifestText, type SavedFile, sha256Of } from './file-state.js'
export {
  type ChosenState,
  chooseStates,
  type DatedFiles,
  type FileAction,
  type PlannedFile,
  planRestore,
  type RestorePlan,
} from './plan-restore.js'
export { type RestoredFile, restoreFiles, toRestoreAction } from './restore-files.js'
export { type SavedFiles, saveFiles } from './save-files.js'
