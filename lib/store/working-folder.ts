// Where somebody works. A folder can be removed under a process that stands in it, as worktrees of
// agents are; whatever does not depend on it should go on.

/** `undefined` when it is not there any more. */
export function workingFolder({
  cwd,
}: {
  readonly cwd: () => string
} = process): string | undefined {
  try {
    return cwd()
  } catch {
    return undefined
  }
}
