/** Loads node:crypto at the first call: a process that merely reads starts without it. */
export function fillRandomly(bytes: Buffer): Buffer {
  return process.getBuiltinModule('node:crypto').randomFillSync(bytes)
}
