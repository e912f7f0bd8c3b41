import type { FolderWatch, WatchOptions } from './environment.js'

const EVENTS = ['add', 'change', 'unlink', 'addDir', 'unlinkDir'] as const

/** Loads chokidar at the first call: most processes never watch. */
export async function watchFolder(
  folder: string,
  { isWatched, onChange, onReady }: WatchOptions,
): Promise<FolderWatch> {
  const { watch } = await import('chokidar')
  const ignored = (path: string) => path !== folder && !isWatched(path)
  const watcher = watch(folder, { depth: 0, ignoreInitial: true, ignored })
  for (const event of EVENTS) watcher.on(event, onChange)
  watcher.on('ready', onReady)
  // Out of watches, or the folder was removed: callers also poll.
  return watcher.on('error', () => undefined)
}
