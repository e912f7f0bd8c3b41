import type { StoreContext } from './context.js'

/** The file that was written last comes first. */
export function sortByChange(
  { env }: StoreContext,
  paths: Iterable<string>,
): { path: string; mtimeMs: number }[] {
  return [...paths]
    .map((path) => {
      const stats = env.fs.statSync(path, { throwIfNoEntry: false })
      return { path, mtimeMs: stats?.mtimeMs ?? 0 }
    })
    .sort((one, other) => other.mtimeMs - one.mtimeMs)
}
