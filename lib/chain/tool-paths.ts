// The files that a tool call names in its input.

import { clipEnd, oneLine } from '../format/index.js'
import { fieldsOf } from './projection.js'

const PATH_KEYS = ['file_path', 'path', 'file', 'notebook_path', 'filename']
const PATH_CHARS_MAX = 200

/** On one line each. */
export function pathsIn(input: unknown): string[] {
  const fields = fieldsOf(input)
  return PATH_KEYS.map((key) => fields[key])
    .filter((path): path is string => typeof path === 'string' && path !== '')
    .map((path) => oneLine(clipEnd(path, PATH_CHARS_MAX)))
}
