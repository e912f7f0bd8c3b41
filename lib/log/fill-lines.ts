// Gives a source of lines the bytes it asks for, in one of the two ways there are to read.

import { read, readSync } from 'node:fs'
import { SessionError, toReadError } from '../errors.js'
import type { LineSource, ReadRequest } from './line-source.js'
import type { OpenLog } from './open-for-reading.js'

/** False when the source wants no more. */
export function fillSync(log: OpenLog, lines: LineSource): boolean {
  const request = lines.request()
  if (request === undefined) return false
  readFullySync(log, lines.bytes, request)
  lines.accept(request)
  return true
}

/** False when the source wants no more. Others may run while the disk is at work. */
export async function fill(log: OpenLog, lines: LineSource): Promise<boolean> {
  const request = lines.request()
  if (request === undefined) return false
  for (let done = 0; done < request.length; ) {
    done += await readSome(log, lines.bytes, rest(request, done))
  }
  lines.accept(request)
  return true
}

export function readFullySync(log: OpenLog, bytes: Buffer, request: ReadRequest): void {
  for (let done = 0; done < request.length; ) {
    const { at, length, position } = rest(request, done)
    let count: number
    try {
      count = readSync(log.fd, bytes, at, length, position)
    } catch (cause) {
      throw toReadError(cause, 'read', log.path)
    }
    if (count === 0) throw shrunken(log.path, position)
    done += count
  }
}

function readSome({ fd, path }: OpenLog, bytes: Buffer, request: ReadRequest): Promise<number> {
  const { at, length, position } = request
  return new Promise((resolve, reject) => {
    read(fd, bytes, at, length, position, (cause, count) => {
      if (cause !== null) reject(toReadError(cause, 'read', path))
      else if (count === 0) reject(shrunken(path, position))
      else resolve(count)
    })
  })
}

function rest({ at, length, position }: ReadRequest, done: number): ReadRequest {
  return { at: at + done, length: length - done, position: position + done }
}

function shrunken(path: string, byte_offset: number): SessionError {
  const what = `${path} was cut off at byte ${byte_offset} while it was read`
  return new SessionError('ERR_FILE_REPLACED', what, { file: path, byte_offset })
}
