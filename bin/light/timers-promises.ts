// Instead of node:timers/promises in commands that scripts call for every event, which rarely wait.

export function setTimeout(ms: number): Promise<unknown> {
  return process.getBuiltinModule('node:timers/promises').setTimeout(ms)
}
