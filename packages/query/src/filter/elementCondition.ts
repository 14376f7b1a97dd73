/** Conditions on array elements: what `$pull` removes. Upstream: pull_node.cpp. */
import { BsonType, type BsonValue } from '@replsim/protocol';
import { equalValues } from '../compare.ts';
import { anyElement } from '../paths.ts';
import { compileNode, parseFilter } from './filter.ts';
import { type CompileNested, compilePredicates, isOperatorObject, type Predicate } from './predicates.ts';

/**
 * Compiles `$pull`'s operand: `{ $gt: 5 }` and regular expressions are conditions on the element itself, any other document
 * is a filter on elements that are documents, any other value must be equal.
 * Throws CommandError as `compileFilter` does.
 */
export function compileElementCondition(operand: BsonValue): (element: BsonValue) => boolean {
  if (operand.type === BsonType.regex || isOperatorObject(operand)) {
    const predicates = compilePredicates(operand, nested);
    return (element) => predicates.every((predicate) => holds(predicate, element));
  }
  if (operand.type === BsonType.object) {
    const matches = compileNode(parseFilter(operand.bytes, operand.offset, {}));
    return ({ type, bytes, offset }) => type === BsonType.object && matches(bytes, offset);
  }
  return (element) => equalValues(element, operand);
}

const nested: CompileNested = (bytes, start) => compileNode(parseFilter(bytes, start, {}));

function holds(predicate: Predicate, element: BsonValue): boolean {
  if (predicate.kind === 'not') return !predicate.of.every((inner) => holds(inner, element));
  const { type, bytes, offset } = element;
  if (type === BsonType.array && predicate.intoLeafArrays && anyElement(bytes, offset, predicate.test)) return true;
  return predicate.test(type, bytes, offset);
}
