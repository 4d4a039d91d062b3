import ts from "typescript";

/**
 * Variables of a module that a function sets, or fills, after it waited for something: two calls at
 * once both find it absent, and both make it. Each as `name:line`. What was begun is to be kept
 * instead, as `kernel/once.ts` does.
 */
export function lateVariables(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const variables = moduleVariables(file);
  if (variables.size === 0) return [];
  const late: string[] = [];
  const visit = (node: ts.Node, shadowed: ReadonlySet<string>) => {
    const hidden = ts.isFunctionLike(node) ? withParameters(shadowed, node) : shadowed;
    const name = changedBy(node);
    if (name !== undefined && variables.has(name) && !hidden.has(name) && isLate(node)) {
      late.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    }
    ts.forEachChild(node, (child) => visit(child, hidden));
  };
  visit(file, new Set());
  return late;
}

/** What the module itself declares: `let`s, and whatever can be filled. */
function moduleVariables(file: ts.SourceFile): Set<string> {
  const declared = file.statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  return new Set(declared.flatMap(({ name }) => ts.isIdentifier(name) ? [name.text] : []));
}

/** The names that a function declares itself, parameters and variables, beside those around it. */
function withParameters(shadowed: ReadonlySet<string>, made: ts.SignatureDeclaration) {
  const names = new Set(shadowed);
  const add = (node: ts.Node) => {
    if ((ts.isParameter(node) || ts.isVariableDeclaration(node)) && ts.isIdentifier(node.name)) {
      names.add(node.name.text);
    }
    if (node === made || !ts.isFunctionLike(node)) ts.forEachChild(node, add);
  };
  add(made);
  return names;
}

/** Methods that change what they are called on. */
const CHANGING = new Set(["set", "add", "push", "unshift", "splice"]);

/**
 * The variable that this very expression sets or fills: `x = …`, `x.y = …`, `x[y] ??= …`, `x++`,
 * `x.set(…)`.
 */
function changedBy(node: ts.Node): string | undefined {
  if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) {
    return looksAndSets(node) ? undefined : root(node.left);
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression, name } = node.expression;
    return CHANGING.has(name.text) ? root(expression) : undefined;
  }
  return undefined;
}

/** `x ??= begin()`: nobody comes between the look and the setting. */
function looksAndSets({ operatorToken, right }: ts.BinaryExpression): boolean {
  return operatorToken.kind === ts.SyntaxKind.QuestionQuestionEqualsToken && !waits(right);
}

function waits(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return true;
  return !ts.isFunctionLike(node) && (ts.forEachChild(node, waits) ?? false);
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

function root(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
    ? root(node.expression)
    : undefined;
}

/**
 * Whether something was waited for before this is done, in its function or by the `then` that it is
 * handed to.
 */
function isLate(node: ts.Node): boolean {
  const around = functionAround(node);
  if (around === undefined) return false;
  return isContinuation(around) || awaitsBefore(around, node);
}

function functionAround(node: ts.Node): ts.SignatureDeclaration | undefined {
  for (let one = node.parent; one; one = one.parent) if (ts.isFunctionLike(one)) return one;
  return undefined;
}

function isContinuation(made: ts.Node): boolean {
  const call = made.parent;
  return ts.isCallExpression(call) && ts.isPropertyAccessExpression(call.expression) &&
    ["then", "catch", "finally"].includes(call.expression.name.text);
}

/**
 * An `await` that ends before the change is made: earlier in the text, in its own value, or in a
 * loop around both.
 */
function awaitsBefore(around: ts.Node, changed: ts.Node): boolean {
  let found = false;
  const visit = (node: ts.Node) => {
    if (found || (node !== around && ts.isFunctionLike(node))) return;
    const waits = ts.isAwaitExpression(node) ||
      (ts.isForOfStatement(node) && node.awaitModifier !== undefined);
    if (waits && (node.getStart() < changed.getEnd() || sharesLoop(node, changed, around))) {
      found = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(around);
  return found;
}

function sharesLoop(one: ts.Node, other: ts.Node, within: ts.Node): boolean {
  for (let node = one.parent; node && node !== within; node = node.parent) {
    const isAround = node.getStart() <= other.getStart() && node.getEnd() >= other.getEnd();
    if (ts.isIterationStatement(node, false) && isAround) return true;
  }
  return false;
}
