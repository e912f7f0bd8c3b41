// What is not worth a mutant.

import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'noise', { shouldIgnore: ({ node }) => reasonFor(node) }),
]

function reasonFor(node) {
  if (isSentence(node)) return 'words for people'
  // Stryker would write \V, which does not compile and takes every other mutant along.
  return node.type === 'RegExpLiteral' && node.pattern.includes('\\v')
    ? 'not to be compiled'
    : undefined
}

/** What programs read (codes, types, names of fields) has no spaces; two of them tell a sentence. */
function isSentence(node) {
  if (node.type === 'StringLiteral') return hasTwoSpaces(node.value)
  if (node.type !== 'TemplateLiteral') return false
  return hasTwoSpaces(node.quasis.map(({ value }) => value.raw).join('x'))
}

function hasTwoSpaces(text) {
  return text.split(' ').length > 2
}
