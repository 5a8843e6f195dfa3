import ts from 'typescript';

/*
 * Builds the errors that the slow test `mutants` plants in a TypeScript file. Each error changes one expression or
 * statement.
 */

export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  readonly start: number;
  readonly before: string;
  readonly after: string;
}

type Change = readonly [kind: string, node: ts.Node, after: string];

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '&&': '||', '||': '&&' },
};
const IS_TEXT = /^(?:description|summary|title|examples?)$/;
const IS_LOG_CALL = /\blog(?:ger)?\??\.(?:trace|debug|info|warn|error|fatal)$/i;
const IS_SELECTION = /^(?:filter|sort|toSorted|reverse|toReversed)$/;

/**
 * Every error that `mutants` can plant in a source file, except errors in types, imports, log lines, or the API’s
 * description.
 */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node)) return;
    for (const [kind, changed, after] of changesOf(node)) {
      const start = changed.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      mutants.push({ file, line, kind, start, before: text.slice(start, changed.end), after });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

export function applyMutant(text: string, { start, before, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(start + before.length);
}

function isWithoutEffect(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    (ts.isPropertyAssignment(node) && IS_TEXT.test(node.name.getText())) ||
    (ts.isCallExpression(node) && IS_LOG_CALL.test(node.expression.getText()))
  );
}

function* changesOf(node: ts.Node): Generator<Change> {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) yield* forced(node.expression);
  if (ts.isConditionalExpression(node)) yield* forced(node.condition);
  if (ts.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node;
    const other = OPERATORS[operatorToken.getText()];
    if (other !== undefined) yield ['operator', operatorToken, other];
    if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) yield ['default dropped', node, left.getText()];
    if (/^[!=]==$/.test(operatorToken.getText()))
      for (const side of [left, right]) if (ts.isStringLiteral(side)) yield ['text emptied', side, "''"];
  }
  if (ts.isNumericLiteral(node)) yield ['number', node, String(Number(node.text.replaceAll('_', '')) + 1)];
  if (node.kind === ts.SyntaxKind.TrueKeyword) yield ['boolean', node, 'false'];
  if (node.kind === ts.SyntaxKind.FalseKeyword) yield ['boolean', node, 'true'];
  if (ts.isExpressionStatement(node)) {
    const call = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
    if (ts.isCallExpression(call) && !isWithoutEffect(call)) yield ['call removed', node, ';'];
    if (call !== node.expression) yield ['await dropped', node.expression, `void ${call.getText()}`];
  }
  if (ts.isReturnStatement(node) && node.expression !== undefined)
    for (const empty of ['undefined', '[]'])
      if (node.expression.getText() !== empty) yield ['return', node.expression, empty];
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression, name } = node.expression;
    if (IS_SELECTION.test(name.text)) yield [`${name.text} dropped`, node, expression.getText()];
  }
}

function* forced(condition: ts.Expression): Generator<Change> {
  for (const value of ['true', 'false']) yield [`condition ${value}`, condition, value];
}
