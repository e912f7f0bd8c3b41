// The places of a source file where one small change should make a test fail.

const SWAPPED = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['&&', '||'],
  ['||', '&&'],
  ['+', '-'],
  ['-', '+'],
])

/** Every mutant of a file: where it is, what it does, and the source that switches it on. */
export function findMutants(ts, path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const found = []
  visit(file)
  return found

  function visit(node) {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isBinaryExpression(node)) binary(node)
    else if (ts.isIfStatement(node)) negate(node.expression)
    else if (ts.isConditionalExpression(node)) negate(node.condition)
    else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false')
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true')
    else if (ts.isNumericLiteral(node) && isValue(node)) replace(node, `(${node.text} + 1)`)
    else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) remove(node)
    ts.forEachChild(node, visit)
  }

  function binary(node) {
    const operator = node.operatorToken.getText()
    const [left, right] = [node.left.getText(), node.right.getText()]
    if (operator === '??') replace(node, `(${left})`)
    // A sum of strings has no difference.
    if (operator === '+' && /['"`]/.test(left + right)) return
    const other = SWAPPED.get(operator)
    if (other !== undefined) replace(node, `((${left}) ${other} (${right}))`)
  }

  function negate(node) {
    const text = node.getText()
    add(node, `!(${text})`, (isOn) => `(${isOn} ? !(${text}) : (${text}))`)
  }

  function replace(node, mutated) {
    const text = node.getText()
    add(node, `${text} → ${mutated}`, (isOn) => `(${isOn} ? ${mutated} : (${text}))`)
  }

  function remove(node) {
    const text = node.getText()
    if (/^super\b/.test(text)) return
    add(node, `without ${text}`, (isOn) => `{ if (!${isOn}) { ${text} } }`)
  }

  function add(node, text, switched) {
    const start = node.getStart()
    const { line } = file.getLineAndCharacterOfPosition(start)
    const short = text.replaceAll(/\s+/g, ' ').slice(0, 80)
    found.push({ path, start, end: node.end, place: `${path}:${line + 1}`, text: short, switched })
  }

  /** A number that is a value, not a name, a case or a part of a type. */
  function isValue(node) {
    const { parent } = node
    if (ts.isPropertyAssignment(parent)) return parent.initializer === node
    return !ts.isCaseClause(parent) && !ts.isLiteralTypeNode(parent) && !ts.isEnumMember(parent)
  }
}
