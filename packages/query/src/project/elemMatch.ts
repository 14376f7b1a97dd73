import { BsonType, type BsonValue, encodeName, findField, invariant } from '@replsim/protocol';
import type { Expression } from '../expression.ts';
import { compileNode, type FilterOptions, parseFilter } from '../filter/filter.ts';
import { type CompileNested, compilePredicates } from '../filter/predicates.ts';
import { buildValue, elementsOf } from '../values.ts';

/** `{ $elemMatch: … }` of a projection: an array of the first element that matches; missing if none does. */
export function elemMatchExpression(field: string, operator: BsonValue, options: FilterOptions): Expression {
  const nested: CompileNested = (bytes, start) =>
    compileNode(parseFilter(bytes, start, { ...options, ofElements: true }));
  const [predicate] = compilePredicates(operator, nested, options.collator);
  invariant(predicate?.kind === 'some' && predicate.element !== undefined, '$elemMatch tests elements');
  const matches = predicate.element;
  const encoded = encodeName(field);
  return (document) => {
    const array = findField(document, encoded);
    if (array?.type !== BsonType.array) return undefined;
    const found = elementsOf(array).find(({ type, bytes, offset }) => matches(type, bytes, offset));
    if (found === undefined) return undefined;
    return buildValue((writer, name) => {
      writer.beginArray(name);
      writer.rawValue('0', found);
      writer.endArray();
    });
  };
}
