/** Conditions on array elements: what `$pull` removes. Upstream: pull_node.cpp. */
import { BsonType, type BsonValue } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { equalValues } from '../compare.ts';
import { anyElement } from '../paths.ts';
import { firstName } from '../values.ts';
import { compileNode, type FilterOptions, parseFilter } from './filter.ts';
import { type CompileNested, compilePredicates, isOperatorObject, type Predicate } from './predicates.ts';

/**
 * Compiles `$pull`'s operand: `{ $gt: 5 }` and regular expressions are conditions on the element itself, any other document
 * is a filter on elements that are documents, any other value must be equal.
 * Throws CommandError as `compileFilter` does.
 */
export function compileElementCondition(operand: BsonValue, collator?: Collator): (element: BsonValue) => boolean {
  const options = { collator };
  if (operand.type === BsonType.regex || (isOperatorObject(operand) && !isFilter(operand))) {
    const predicates = compilePredicates(operand, nestedBy(options), collator);
    return (element) => predicates.every((predicate) => holds(predicate, element));
  }
  if (operand.type === BsonType.object) {
    const matches = compileNode(parseFilter(operand.bytes, operand.offset, { ...options, bans: OF_DOCUMENTS }));
    return ({ type, bytes, offset }) => type === BsonType.object && matches(bytes, offset);
  }
  return (element) => equalValues(element, operand, collator);
}

function nestedBy(options: FilterOptions): CompileNested {
  return (bytes, start) => compileNode(parseFilter(bytes, start, { ...options, ofElements: true }));
}

/** Operators that look at whole documents. Upstream: pull_node.cpp, ObjectMatcher allows no special feature. */
const OF_DOCUMENTS = new Set(['$expr', '$jsonSchema'] as const);

/** Of filters, as opposed to a condition that an element meets by itself. Upstream: parsePathAcceptingKeyword. */
function isFilter(operand: BsonValue): boolean {
  return ['$and', '$or', '$nor', ...OF_DOCUMENTS].includes(firstName(operand) ?? '');
}

function holds(predicate: Predicate, element: BsonValue): boolean {
  if (predicate.kind === 'not') return !predicate.of.every((inner) => holds(inner, element));
  const { type, bytes, offset } = element;
  if (type === BsonType.array && predicate.intoLeafArrays && anyElement(bytes, offset, predicate.test)) return true;
  return predicate.test(type, bytes, offset);
}
