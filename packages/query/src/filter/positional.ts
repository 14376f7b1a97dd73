/** Which array element a filter matched: what positional `$` in updates and projections means. */
import { BsonType } from '@replsim/protocol';
import { anyAtPath, anyElement, fieldOffset, type PathSegment, type ValueTest } from '../paths.ts';
import { type FilterNode, type FilterOptions, parseFilter } from './filter.ts';
import type { Predicate } from './predicates.ts';

/**
 * Finds the index of the first element, of the array at `arrayPath`, by which the document matches the filter; where no
 * condition of the filter is about that array, the last array that one is about. Undefined if there is none.
 */
export type Positional = (document: Uint8Array, arrayPath: string) => number | undefined;

/**
 * Compiles a filter into the search for its positional element. The document must match the filter, so that what it searches for is not looked for again.
 * Simplified: with several conditions on arrays upstream uses the one that it evaluated last.
 */
export function compilePositional(filterBytes: Uint8Array, options: FilterOptions = {}): Positional {
  const node = parseFilter(filterBytes, 0, { ...options, allowsNear: true, search: () => () => true });
  return (document, arrayPath) => {
    const found = new Map<string, number>();
    collect(node, document, found);
    return found.get(arrayPath) ?? [...found.values()].at(-1);
  };
}

function collect(node: FilterNode, document: Uint8Array, found: Map<string, number>): void {
  if (node.kind === 'and') for (const inner of node.of) collect(inner, document, found);
  else if (node.kind === 'or') {
    const only = asOne(node.of);
    if (only !== undefined) collect(only, document, found);
  } else if (node.kind === 'path') {
    for (const predicate of node.predicates) elementMatched(node.path, predicate, document, found);
  }
}

/**
 * What an `$or` comes to where that is one condition: its only branch, or a list of values and patterns at one path. Of any other
 * `$or` nothing is known, whichever branch holds. Upstream: expression_tree.cpp, OrMatchExpression::matches and its optimizer.
 */
function asOne(branches: readonly FilterNode[]): FilterNode | undefined {
  const [first, ...more] = branches;
  if (first?.kind !== 'path' || more.length === 0) return more.length === 0 ? first : undefined;
  const name = nameOf(first.path);
  const tests: ValueTest[] = [];
  for (const branch of branches) {
    const [predicate, ...others] = branch.kind === 'path' ? branch.predicates : [];
    if (predicate?.kind !== 'some' || !predicate.isListable || others.length > 0) return undefined;
    if (branch.kind !== 'path' || nameOf(branch.path) !== name) return undefined;
    tests.push(predicate.test);
  }
  const test: ValueTest = (...value) => tests.some((each) => each(...value));
  return { kind: 'path', path: first.path, predicates: [{ kind: 'some', test, intoLeafArrays: true }] };
}

function nameOf(path: readonly PathSegment[]): string {
  return path.map(({ name }) => name).join('.');
}

function elementMatched(
  path: readonly PathSegment[],
  predicate: Predicate,
  document: Uint8Array,
  found: Map<string, number>,
): void {
  if (predicate.kind === 'not' || predicate.isNear) return;
  let at = 0;
  for (const [depth, { encoded }] of path.entries()) {
    const offset = fieldOffset(document, encoded, at);
    if (offset < 0) return;
    const type = document[offset - encoded.length - 2];
    if (type === BsonType.array) {
      const index = indexIn(path.slice(depth + 1), predicate, document, offset);
      if (index !== undefined) found.set(nameOf(path.slice(0, depth + 1)), index);
      return;
    }
    if (type !== BsonType.object) return;
    at = offset;
  }
}

function indexIn(
  rest: readonly PathSegment[],
  predicate: Extract<Predicate, { kind: 'some' }>,
  bytes: Uint8Array,
  start: number,
): number | undefined {
  let index = -1;
  const element = predicate.element ?? (predicate.intoLeafArrays ? predicate.test : () => false);
  const matched = anyElement(bytes, start, (type, at, offset) => {
    index++;
    if (rest.length === 0) return element(type, at, offset);
    return type === BsonType.object && anyAtPath(rest, at, offset, predicate.test, predicate.intoLeafArrays);
  });
  return matched ? index : undefined;
}
