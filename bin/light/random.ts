// Instead of lib/environment/random.ts in commands that scripts call for every event: asks the system
// where node:crypto would, without loading it.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

export function fillRandomly(bytes: Buffer): Buffer {
  return readFromSystem(bytes) ?? process.getBuiltinModule('node:crypto').randomFillSync(bytes)
}

/** `undefined` on a system without such a device, as Windows is. */
function readFromSystem(bytes: Buffer): Buffer | undefined {
  try {
    const fd = openSync('/dev/urandom', 'r')
    try {
      const isDevice = fstatSync(fd).isCharacterDevice()
      const isFull = isDevice && readSync(fd, bytes, 0, bytes.length, null) === bytes.length
      return isFull ? bytes : undefined
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}
