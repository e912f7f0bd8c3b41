// Entry point of the module through which the library reaches the world around it.

export type {
  Environment,
  EnvironmentOverrides,
  FileSystem,
  FolderWatch,
  Host,
  Timer,
  Timers,
  WatchOptions,
} from './environment.js'
export { environmentFrom, NATIVE_TARGET, newUuid, systemEnvironment, toIso } from './system.js'
