import type { CallExpression, Expression, NewExpression, Node, ObjectExpression, SpreadElement } from 'acorn';

/** A piece of a text that means something else than it says in JavaScript; the rest of the text is blank. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A value that a printed document cannot hold. */
export class NoLiteral extends Error {
  readonly offset: number;

  constructor({ start }: Node, what: string) {
    super(`${what} is not a value that mongosh prints`);
    this.offset = start;
  }
}

/**
 * A printed document as YAML, every value on its line and, but for strings with escapes, in its column, so that whoever finds something
 * wrong with it points into the file that was read.
 * @param text the whole file @param root the document in it
 * @throws NoLiteral for code
 */
export function flowText(text: string, root: ObjectExpression): string {
  const pieces: Piece[] = [];
  collect(root, text, pieces);
  let flow = '';
  let at = 0;
  for (const { start, end, text: piece } of pieces) {
    flow += blank(text.slice(at, start)) + piece.padEnd(end - start);
    at = end;
  }
  return flow;
}

/** Before a comma there is hardly ever any. */
const MAX_SPACE = 200;

/** Only the ends of lines are left. */
function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

function collect(node: Expression | SpreadElement, text: string, pieces: Piece[]): void {
  const mark = (start: number, character: string) => pieces.push({ start, end: start + 1, text: character });
  switch (node.type) {
    case 'ObjectExpression':
      mark(node.start, '{');
      for (const property of node.properties) {
        if (property.type !== 'Property' || property.kind !== 'init' || property.computed)
          throw new NoLiteral(property, `"${text.slice(property.start, property.end).slice(0, 30)}"`);
        const { key, value } = property;
        const colon = text[key.end] === ':' ? 1 : 0;
        pieces.push({ start: key.start, end: key.end + colon, text: `${keyText(key as Expression, text)}:` });
        collect(value as Expression, text, pieces);
        comma(property.end, text, pieces, property === node.properties.at(-1));
      }
      mark(node.end - 1, '}');
      return;
    case 'ArrayExpression':
      mark(node.start, '[');
      for (const element of node.elements) {
        if (element === null) throw new NoLiteral(node, 'a gap in a list');
        collect(element, text, pieces);
        comma(element.end, text, pieces, element === node.elements.at(-1));
      }
      mark(node.end - 1, ']');
      return;
    default:
      pieces.push({ start: node.start, end: node.end, text: scalarText(node, text) });
  }
}

/** A comma behind an entry, where it stands; behind a comment it does not matter where. Behind the last none is needed. */
function comma(end: number, text: string, pieces: Piece[], isLast: boolean): void {
  const space = /^\s*(?=,)/.exec(text.slice(end, end + MAX_SPACE))?.[0].length;
  if (space === undefined && isLast) return;
  const start = end + (space ?? 0);
  pieces.push({ start, end: start + (space === undefined ? 0 : 1), text: ',' });
}

function keyText(key: Expression, text: string): string {
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'Literal') return JSON.stringify(String(key.value));
  throw new NoLiteral(key, `"${text.slice(key.start, key.end)}"`);
}

function scalarText(node: Expression | SpreadElement, text: string): string {
  switch (node.type) {
    case 'Literal':
      if (typeof node.value === 'string') return JSON.stringify(node.value);
      if (node.value === null || typeof node.value === 'boolean' || typeof node.value === 'number')
        return String(node.value);
      break;
    case 'UnaryExpression':
      if (node.operator === '-' && node.argument.type === 'Literal' && typeof node.argument.value === 'number')
        return String(-node.argument.value);
      break;
    case 'Identifier':
      if (['undefined', 'NaN', 'Infinity', 'MinKey', 'MaxKey'].includes(node.name)) return JSON.stringify(node.name);
      break;
    case 'NewExpression':
    case 'CallExpression':
      return typeText(node, text);
  }
  throw new NoLiteral(node, `"${text.slice(node.start, node.end).slice(0, 30)}"`);
}

const NUMBERS = /^(Number)?(Long|Int|Int32|Double)$/;

/** `Long("0")`, `ObjectId('…')` and the like, as numbers and as Extended JSON. */
function typeText(node: CallExpression | NewExpression, text: string): string {
  const words = text.slice(node.callee.start, node.callee.end);
  const [first, second] = node.arguments.map((argument) => literalOf(argument, text));
  if (NUMBERS.test(words.replace(/\.from\w+$/, '')) && /^-?\d+(\.\d+)?$/.test(String(first))) return String(first);
  if (words === 'ObjectId') return `{$oid: ${JSON.stringify(String(first))}}`;
  if (words === 'ISODate' || words === 'Date') return `{$date: ${JSON.stringify(String(first))}}`;
  if (words === 'Timestamp') return timestampText(first, second);
  // What else there is, such as UUID, BinData and Decimal128, no config and no status says anything by.
  if (/^[A-Z][\w.]*$/.test(words)) return JSON.stringify(text.slice(node.start, node.end));
  throw new NoLiteral(node, `"${words}(…)"`);
}

function timestampText(first: unknown, second: unknown): string {
  const { t, i } =
    typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : { t: first, i: second };
  return `{$timestamp: {t: ${Number(t)}, i: ${Number(i)}}}`;
}

function literalOf(node: Expression | SpreadElement, text: string): unknown {
  if (node.type === 'Literal') return node.value;
  if (node.type === 'ObjectExpression')
    return Object.fromEntries(
      node.properties.flatMap((property) =>
        property.type === 'Property'
          ? [[keyText(property.key as Expression, text), literalOf(property.value as Expression, text)]]
          : [],
      ),
    );
  return text.slice(node.start, node.end);
}
