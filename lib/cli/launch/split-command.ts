// A command line as people write it, in words. No shell reads it, so nothing in it is expanded or run.

import { UsageError } from '../command.js'

/**
 * Single quotes keep everything; in double quotes and outside, a backslash keeps the next character. On Windows a
 * backslash is part of a path.
 */
export function splitCommand(text: string, platform: NodeJS.Platform): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  const isEscape = (character: string) =>
    character === '\\' && quote !== "'" && platform !== 'win32'
  const characters = [...text]
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (isEscape(character) && at + 1 < characters.length) word = `${word ?? ''}${characters[++at]}`
    else if (character === quote) quote = undefined
    else if (quote !== undefined) word += character
    else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ''}${character}`
  }
  if (quote !== undefined) throw new UsageError(`A ${quote} in the command is not closed: ${text}`)
  if (word !== undefined) words.push(word)
  if (words.length === 0 || words[0] === '') throw new UsageError('The command is empty')
  return words
}
