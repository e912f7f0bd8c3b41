// Spellings of Windows, tried on any platform: strings in, strings out.

import { expect, test } from 'vitest'
import {
  foldCase,
  normalizeWindowsPath,
  swapCase,
} from '../../../lib/store/projects/normalize-project.js'

test.each([
  ['C:\\Users\\Ada\\App', 'C:\\Users\\Ada\\App'],
  ['c:\\Users\\Ada\\App', 'C:\\Users\\Ada\\App'],
  ['C:/Users/Ada/App/', 'C:\\Users\\Ada\\App'],
  ['\\\\?\\c:\\Users\\Ada\\App\\', 'C:\\Users\\Ada\\App'],
  ['\\\\.\\C:\\Users\\Ada\\App', 'C:\\Users\\Ada\\App'],
  ['C:\\Users\\.\\Ada\\x\\..\\\\App', 'C:\\Users\\Ada\\App'],
  ['c:\\', 'C:\\'],
  ['\\\\?\\C:\\', 'C:\\'],
  ['\\\\Server\\Share\\App\\', '\\\\server\\share\\App'],
  ['\\\\?\\UNC\\SERVER\\share\\App', '\\\\server\\share\\App'],
  ['//server/Share', '\\\\server\\share'],
  ['\\\\?\\Volume{1234}\\App', '\\\\?\\Volume{1234}\\App'],
])('a path of Windows has one spelling: %s', (spelling, normalized) => {
  expect(normalizeWindowsPath(spelling)).toBe(normalized)
  expect(normalizeWindowsPath(normalized)).toBe(normalized)
})

test('names that are equal on a case-insensitive volume fold to one text', () => {
  expect(foldCase('Proj-É.TS')).toBe(foldCase('pROJ-é.ts'))
  expect(foldCase('ΑΣ')).toBe(foldCase('ασ'))
  for (const [one, other] of [
    ['ı', 'i'],
    ['ß', 'ss'],
    ['a', 'b'],
  ]) {
    expect(foldCase(one!)).not.toBe(foldCase(other!))
  }
})

test('swapping the case twice restores the name; a name without letters does not change', () => {
  for (const name of ['App', 'project-É', 'x1', 'ǅ']) {
    expect(foldCase(swapCase(name))).toBe(foldCase(name))
  }
  expect(swapCase('Ab-1')).toBe('aB-1')
  for (const name of ['123', '日本語', '', 'ß']) expect(swapCase(name)).toBe(name)
})
