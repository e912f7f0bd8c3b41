// The sizes that are walked through. Quick ones only show that it works.

const MEGABYTE = 1_000_000

export function fileSizes(isQuick) {
  return (isQuick ? [10, 20] : [10, 30, 100, 300, 1000]).map((megabytes) => megabytes * MEGABYTE)
}

export function writerCounts(isQuick) {
  return isQuick ? [1, 4] : [1, 2, 4, 8, 16]
}

export function sessionCounts(isQuick) {
  return isQuick ? [10, 50] : [10, 100, 1000, 10_000]
}

export const FILE_AXIS = { label: 'size of the file', unit: 'B' }
export const TIME_AXIS = { label: 'milliseconds', unit: 'ms' }
export const MEMORY_AXIS = { label: 'resident memory at its peak', unit: 'B' }
