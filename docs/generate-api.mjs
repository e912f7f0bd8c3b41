// Writes docs/API.md from the types and JSDoc of everything the package exports.
//
//   node docs/generate-api.mjs            writes the page
//   node docs/generate-api.mjs --check    exits with 1 if the page is stale or JSDoc is missing
//   node docs/generate-api.mjs --missing  lists options without a description or `@default`

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const PAGE = `${root}/docs/API.md`

// Groups in the order of the page, each with the sources in lib/ whose exports it describes: the
// group with the longest matching path.
const FREE_FUNCTIONS = 'Functions that open a store for one call'
const GROUPS = {
  Store: 'store.ts store-areas.ts store/context environment/ version.ts',
  Sessions: 'session/ chain/ store/',
  History: 'store/history/ session/prompt-history',
  'Checkpoints and recovery': 'continuity/ store/checkpoints/ session/checkpoints/',
  'Search and statistics':
    'store/search/ store/grep/ store/stats/ store/summaries/ store/text/ store/tail/ session/extract/',
  Maintenance: 'store/health/ store/retention/ store/projects/ store/claims/',
  Compaction: 'compaction/ session/compaction/',
  Subagents: 'session/subagents/ store/sidechains/',
  'File checkpoints': 'files/ session/files/',
  'Import and export': 'interchange/ session/import/ session/export/ store/foreign/',
  Redaction: 'redaction/',
  Events: 'format/',
  Logs: 'log/',
  Errors: 'errors.ts',
  [FREE_FUNCTIONS]: 'free-functions.ts',
}

// Names of types whose fields are arguments.
const OPTIONS = /(?:Options|Query|Input|Hints|Policy|Settings)$/

// The exports to describe first in their group; the others follow by name.
const FIRST = [
  'openStore',
  'Store',
  'HistoryStore',
  'CheckpointStore',
  'SidechainStore',
  'ClaimStore',
]
  .concat(['MaintenanceStore', 'createSession', 'resumeSession', 'forkSession', 'Session'])
  .concat(['createCompactor', 'Compactor', 'SessionError', 'openLog'])

const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
// The elements of the viewer are for pages; docs/VIEWER.md describes them.
const entries = Object.entries(manifest.exports)
  .filter(([path, target]) => typeof target !== 'string' && path !== './viewer')
  .map(([path, { default: file }]) => ({
    name: path === '.' ? manifest.name : `${manifest.name}${path.slice(1)}`,
    file: file.replace('./dist/', `${root}/`).replace(/\.js$/, '.ts'),
  }))

const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(
  { ...config, files: [], include: [] },
  ts.sys,
  root,
)
const program = ts.createProgram(
  entries.map(({ file }) => file),
  options,
)
const checker = program.getTypeChecker()

const problems = []
const described = new Map()
const slugs = new Map()
// One symbol per name and declaration, so that a sub-path recognises what the root described.
const seen = new Map()

const text = toPage()
const [mode] = process.argv.slice(2)
if (mode === '--missing') console.log(missingOptions().join('\n'))
else if (mode === '--check') {
  if (!existsSync(PAGE) || readFileSync(PAGE, 'utf8') !== text) {
    problems.unshift('docs/API.md is stale: run `npm run docs:api`')
  }
  for (const problem of [...problems, ...missingOptions()]) console.error(problem)
  process.exitCode = problems.length + missingOptions().length > 0 ? 1 : 0
} else writeFileSync(PAGE, text)

function toPage() {
  const [main, ...rest] = entries.map(({ name, file }) => ({ name, symbols: exportsOf(file) }))
  const groups = Object.keys(GROUPS)
    .map((title) => ({
      title,
      symbols: main.symbols.filter((symbol) => groupOf(symbol) === title),
    }))
    .filter(({ symbols }) => symbols.length > 0)
  // Anchors are given first, so that every link knows its target.
  for (const { symbols } of groups) for (const symbol of symbols) nameAnchor(symbol)
  const sections = groups.map(({ title, symbols }) => section(title, symbols))
  for (const { name, symbols } of rest) sections.push(subPath(name, symbols))
  const titles = [...groups.map(({ title }) => title), ...rest.map(({ name }) => name)]
  const contents = titles.map((title) => `- [${title}](#${slugOf(title)})`)
  return `${[
    '# API',
    '<!-- Generated from the types and JSDoc by `npm run docs:api`. Do not edit. -->',
    `Everything that \`${manifest.name}\` exports. Options in the tables may be left out unless they are marked *required*.`,
    contents.join('\n'),
    ...sections,
  ].join('\n\n')}\n`
}

function section(title, symbols) {
  if (title === FREE_FUNCTIONS) return freeFunctions(title, symbols)
  const isMain = (symbol) => isValue(symbol) || isClass(symbol)
  const main = symbols.filter(isMain).sort((a, b) => rank(a) - rank(b))
  const parts = [`## ${title}`, ...main.flatMap((symbol) => describe(symbol))]
  const left = symbols.filter((symbol) => !described.has(symbol))
  if (left.length > 0) parts.push(`### Types: ${title.toLowerCase()}`)
  return [...parts, ...left.flatMap((symbol) => describe(symbol, 4))].join('\n\n')
}

/** They only repeat methods of a store, so a table is enough. */
function freeFunctions(title, symbols) {
  const rows = symbols.map((symbol) => {
    described.set(symbol, true)
    const words = docOf(targetOf(symbol))
    if (words === '') problems.push(`${symbol.getName()} has no JSDoc (${sourceOf(symbol)})`)
    const [signature] = checker.getTypeOfSymbol(targetOf(symbol)).getCallSignatures()
    const names = signature?.getParameters().flatMap(parameterNames).join(', ')
    const call = signature === undefined ? symbol.getName() : `${symbol.getName()}(${names})`
    return `| ${cell(code(call))} | ${cell(words)} |`
  })
  const words =
    'Each opens a store with its options (those of `openStore` and those of the method) and calls the method.'
  return [`## ${title}`, words, ['| function | |', '| --- | --- |', ...rows].join('\n')].join(
    '\n\n',
  )
}

/** A sub-path repeats nothing: what the root exports too is a link. */
function subPath(name, symbols) {
  const known = symbols.filter((symbol) => described.has(symbol))
  const own = symbols.filter((symbol) => !described.has(symbol))
  for (const symbol of own) nameAnchor(symbol)
  const parts = [`## ${name}`]
  if (known.length > 0) parts.push(`Also exported by the root: ${known.map(linkTo).join(', ')}.`)
  const values = own.filter(isValue)
  parts.push(...values.flatMap((symbol) => describe(symbol)))
  parts.push(
    ...own
      .filter((symbol) => !isValue(symbol))
      .flatMap((symbol) => (described.has(symbol) ? [] : describe(symbol, 4))),
  )
  return parts.join('\n\n')
}

/** Heading, signature, description, and the options it takes where they are not described yet. */
function describe(symbol, level = 3) {
  if (described.has(symbol)) return []
  described.set(symbol, true)
  const name = symbol.getName()
  const target = targetOf(symbol)
  const words = docOf(target)
  if (isValue(symbol) && words === '') problems.push(`${name} has no JSDoc (${sourceOf(symbol)})`)
  const parts = [`${'#'.repeat(level)} ${name}`]
  const declaration = target.declarations?.[0]
  const type = isValue(symbol)
    ? checker.getTypeOfSymbol(target)
    : checker.getDeclaredTypeOfSymbol(target)
  if (declaration && ts.isClassDeclaration(declaration)) {
    parts.push(words, memberList(checker.getDeclaredTypeOfSymbol(target), declaration))
  } else if (isValue(symbol)) {
    const signatures = type.getCallSignatures()
    const code =
      signatures.length > 0
        ? signatures.map((it) => `${name}${signatureText(it)}`)
        : [`${name}: ${clip(checker.typeToString(type))}`]
    parts.push(fence(code.join('\n')), words, examplesOf(target))
    for (const used of signatures.flatMap(optionSymbols)) parts.push(...describe(used, 4))
  } else if (declaration && ts.isInterfaceDeclaration(declaration)) {
    parts.push(words, inheritedLinks(declaration), ...memberParts(type, declaration))
  } else {
    parts.push(
      fence(
        declaration === undefined ? name : clip(codeOf(declaration).replace(/^export /, ''), 900),
      ),
      words,
    )
    if (
      declaration &&
      ts.isTypeAliasDeclaration(declaration) &&
      ts.isTypeLiteralNode(declaration.type)
    )
      parts.push(memberTable(type.getProperties(), declaration))
  }
  return parts.filter((part) => part !== '' && part !== undefined)
}

/** The exported option types among the parameters of a signature that are not described yet. */
function optionSymbols(signature) {
  return signature.getParameters().flatMap((parameter) => {
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter))
    const target = type.aliasSymbol ?? type.getSymbol()
    const isOptions = (it) => targetOf(it) === target && OPTIONS.test(it.getName())
    return [...slugs.keys()].filter((it) => isOptions(it) && !described.has(it))
  })
}

function memberParts(type, declaration) {
  const own = type
    .getProperties()
    .filter((it) => it.declarations?.some(({ parent }) => parent === declaration))
  const isHandle = own.filter(isMethod).length > own.length / 2
  return isHandle ? [memberList(type, declaration)] : [memberTable(own, declaration)]
}

function memberTable(properties, declaration) {
  if (properties.length === 0) return ''
  const isOptions = OPTIONS.test(declaration.name.text)
  const rows = properties.map((property) => {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
    const standard = tagOf(property, 'default')
    const mark = isOptions && !isOptional ? '*required* ' : ''
    const fallback =
      isOptional && standard !== undefined ? ` Default: ${defaultText(standard)}.` : ''
    const name = isOptions || !isOptional ? property.getName() : `${property.getName()}?`
    const words = `${mark}${docOf(property)}${fallback}`.trim()
    return `| ${[code(name), code(propertyType(property)), words].map(cell).join(' | ')} |`
  })
  return [`| ${isOptions ? 'option' : 'field'} | type | |`, '| --- | --- | --- |', ...rows].join(
    '\n',
  )
}

function memberList(type, declaration) {
  const members = type
    .getProperties()
    .filter((member) => !/^(?:#|_|__@)/.test(member.getName()) && isPublic(member))
  const rows = members.map((member) => {
    const memberType = checker.getTypeOfSymbolAtLocation(member, declaration)
    const name = member.getName()
    const signatures = isMethod(member) || isBound(member) ? memberType.getCallSignatures() : []
    const toText = isBound(member) ? boundSignatureText : signatureText
    const spelled = signatures.map((it) => `${name}${toText(it)}`)
    const shown = spelled.length > 0 ? spelled.join(' · ') : `${name}: ${propertyType(member)}`
    const words = [docOf(member), ...linksIn(shown)].filter((it) => it !== '').join(' ')
    return words === '' ? `- ${code(shown)}` : `- ${code(shown)}  \n  ${indent(words)}`
  })
  return rows.join('\n')
}

/** Links to the option types that a signature names. */
function linksIn(signature) {
  const names = [...new Set(signature.match(/\b\w+(?:Options|Query|Input)\b/g))]
  const known = names.map((name) => [...slugs.keys()].find((it) => it.getName() === name))
  const links = known.filter((it) => it !== undefined).map(linkTo)
  return links.length === 0 ? [] : [`See ${links.join(', ')}.`]
}

function indent(words) {
  return words.replace(/\n\n/g, '\n\n  ').replace(/\n(?=\S)/g, '\n  ')
}

function inheritedLinks(declaration) {
  const bases = (declaration.heritageClauses ?? []).flatMap(({ types }) =>
    types.map((it) => it.getText()),
  )
  return bases.length === 0
    ? ''
    : `With everything of ${bases.map((base) => linkTo([...slugs.keys()].find((it) => it.getName() === base) ?? base)).join(', ')}.`
}

function missingOptions() {
  const found = []
  for (const symbol of slugs.keys()) {
    const declaration = targetOf(symbol).declarations?.[0]
    if (
      !declaration ||
      !ts.isInterfaceDeclaration(declaration) ||
      !/Options$/.test(symbol.getName())
    )
      continue
    for (const member of declaration.members) {
      const property = checker.getSymbolAtLocation(member.name)
      const lacks = [
        docOf(property) === '' && 'description',
        member.questionToken && tagOf(property, 'default') === undefined && '@default',
      ]
      if (lacks.some(Boolean))
        found.push(
          `${sourceOf(symbol)} ${symbol.getName()}.${property.getName()}: ${lacks.filter(Boolean).join(', ')}`,
        )
    }
  }
  return found
}

function exportsOf(file) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file))
  return checker
    .getExportsOfModule(module)
    .map(unaliased)
    .sort((a, b) => a.getName().localeCompare(b.getName()))
}

function unaliased(symbol) {
  const key = targetOf(symbol)
  const known = seen.get(key)
  if (known?.getName() === symbol.getName()) return known
  seen.set(key, symbol)
  return symbol
}

function targetOf(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

// `export type { Session }` of a class exports a type only.
function isValue(symbol) {
  if (
    symbol.declarations?.some(
      (it) => ts.isExportSpecifier(it) && (it.isTypeOnly || it.parent.parent.isTypeOnly),
    )
  )
    return false
  return (targetOf(symbol).flags & ts.SymbolFlags.Value) !== 0
}

function isClass(symbol) {
  return targetOf(symbol).declarations?.some(ts.isClassDeclaration) === true
}

function rank(symbol) {
  const place = FIRST.indexOf(symbol.getName())
  return place === -1 ? FIRST.length : place
}

function isMethod(member) {
  return (member.flags & ts.SymbolFlags.Method) !== 0
}

// A field that is set to a function of another module, so that its type is only derived.
function isBound(member) {
  const [declaration] = member.declarations ?? []
  return declaration !== undefined && ts.isPropertyDeclaration(declaration) && !declaration.type
}

function isPublic(member) {
  const [declaration] = member.declarations ?? []
  const flags = declaration === undefined ? 0 : ts.getCombinedModifierFlags(declaration)
  return (
    (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) === 0 &&
    tagOf(member, 'internal') === undefined
  )
}

function signatureText(signature) {
  const parameters = signature.getParameters().map((parameter) => {
    const declaration = parameter.valueDeclaration
    const isOptional = declaration && (declaration.questionToken || declaration.initializer)
    const name = parameterName(parameter)
    const type = declaration?.type
      ? codeOf(declaration.type)
      : checker.typeToString(checker.getTypeOfSymbol(parameter))
    return `${declaration?.dotDotDotToken ? '...' : ''}${name}${isOptional ? '?' : ''}: ${type}`
  })
  const declaration = signature.getDeclaration()
  const result = declaration?.type
    ? codeOf(declaration.type)
    : checker.typeToString(signature.getReturnType())
  return `(${parameters.join(', ')}): ${result}`
}

function boundSignatureText(signature) {
  return checker
    .signatureToString(signature, undefined, ts.TypeFormatFlags.NoTruncation)
    .replace(/\?: \(?([^,()]+?)\)? \| undefined(?=[,)])/g, '?: $1')
    .replace(/; \}/g, ' }')
}

// The parameters of a function that another one returned are the elements of one tuple.
function parameterNames(parameter) {
  const { target } = checker.getTypeOfSymbol(parameter)
  const labels = target?.labeledElementDeclarations
  if (!parameter.valueDeclaration?.dotDotDotToken || labels === undefined) {
    return [parameterName(parameter)]
  }
  return labels.map((label) => label?.name.getText() ?? 'options')
}

function parameterName(parameter) {
  const declaration = parameter.valueDeclaration
  return declaration && !ts.isIdentifier(declaration.name) ? 'options' : parameter.getName()
}

function propertyType(property) {
  const [declaration] = property.declarations ?? []
  if (declaration && ts.isMethodSignature(declaration))
    return clip(
      signatureText(checker.getSignatureFromDeclaration(declaration)).replace(/\): /, ') => '),
    )
  const node = declaration?.type
  const type = node ? codeOf(node) : checker.typeToString(checker.getTypeOfSymbol(property))
  return clip(type.replace(/ \| undefined$/, '').replace(/^\((.*)\)$/, '$1'))
}

function codeOf(node) {
  return node
    .getText()
    .replace(/\bOwn<(\w+)>/g, '$1')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/([=(<]) \| /g, '$1 ')
    .replace(/^\| /, '')
}

function docOf(symbol) {
  return ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .trim()
}

function tagOf(symbol, name) {
  const tag = symbol.getJsDocTags(checker).find((it) => it.name === name)
  return tag === undefined ? undefined : ts.displayPartsToString(tag.text).trim()
}

// `@default 5000` is a value; `@default the newest session` is a sentence.
function defaultText(standard) {
  return /^['"[{\d-]|^\S+$/.test(standard) ? code(standard) : standard
}

function examplesOf(symbol) {
  const example = tagOf(symbol, 'example')
  return example === undefined ? '' : example.includes('```') ? example : fence(example)
}

function groupOf(symbol) {
  const source = sourceOf(symbol)
  let found = { title: undefined, length: 0 }
  for (const [title, paths] of Object.entries(GROUPS)) {
    for (const path of paths.split(' ')) {
      if (source.startsWith(path) && path.length > found.length)
        found = { title, length: path.length }
    }
  }
  if (found.title === undefined) problems.push(`${symbol.getName()} is in no group (${source})`)
  return found.title
}

function sourceOf(symbol) {
  const file = targetOf(symbol).declarations?.[0]?.getSourceFile().fileName ?? ''
  return relative(`${root}/lib`, file)
}

function nameAnchor(symbol) {
  const isRow = sourceOf(symbol) === GROUPS[FREE_FUNCTIONS]
  if (!slugs.has(symbol)) slugs.set(symbol, slugOf(isRow ? FREE_FUNCTIONS : symbol.getName()))
}

function slugOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replace(/ /g, '-')
}

function linkTo(target) {
  if (typeof target === 'string') return code(target)
  return `[${code(target.getName())}](#${slugs.get(target)})`
}

function fence(body) {
  return `\`\`\`ts\n${body}\n\`\`\``
}

function code(value) {
  const plain = value.replace(/\s*\n\s*/g, ' ').replace(/^`(.*)`$/, '$1')
  return plain.includes('`') ? `\`\` ${plain} \`\`` : `\`${plain}\``
}

function cell(value) {
  return value.replace(/\s*\n\s*/g, ' ').replace(/\|/g, '\\|')
}

function clip(value, max = 160) {
  return value.length > max ? `${value.slice(0, max - 1)}…` : value
}
