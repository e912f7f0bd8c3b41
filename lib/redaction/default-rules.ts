// The rules that every redactor has, in the order in which they look at a text. docs/REDACTION.md
// says the same in words.

import { base64 } from './base64.js'
import { authorization, jsonWebTokens, urlPasswords, vendorKeys } from './known-shapes.js'
import { mentionedVariables, secretFields, secretVariables } from './named-secrets.js'
import { privateKeys } from './private-keys.js'
import type { Rule } from './rule.js'

// A variable is first seen with its value: mentioned alone it would go, name and all.
export const DEFAULT_RULES: readonly Rule[] = [
  privateKeys,
  authorization,
  jsonWebTokens,
  vendorKeys,
  urlPasswords,
  secretVariables,
  mentionedVariables,
  secretFields,
  base64,
]
