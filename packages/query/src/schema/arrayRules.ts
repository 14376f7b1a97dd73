/** Keywords about arrays. */
import { BsonType, type BsonValue, RawValue, required } from '@replsim/protocol';
import { equalValues } from '../compare.ts';
import { elementsOf, isTruthy } from '../values.ts';
import { considered, countOf, mustBe, type Report, type Rule, type RuleFactory, type Schema } from './rule.ts';

/** `minItems`, `maxItems`. */
export const itemCountRule: RuleFactory = (operand, keyword) => {
  const limit = countOf(operand, keyword);
  return ofArrays((items, value) => {
    if (keyword === 'minItems' ? items.length >= limit : items.length <= limit) return undefined;
    return considered(keyword, operand, 'array did not match specified length', value);
  });
};

export const uniqueItemsRule: RuleFactory = (operand, keyword) => {
  if (operand.type !== BsonType.bool) throw mustBe(keyword, 'a boolean');
  if (!isTruthy(operand)) return () => undefined;
  return ofArrays((items, value) => {
    const again = items.find((item, i) => items.slice(0, i).some((before) => equalValues(before, item)));
    if (!again) return undefined;
    const report = considered(keyword, operand, 'found a duplicate item', value);
    return { ...report, duplicatedValue: new RawValue(again) };
  });
};

/** One schema for all items, or one for each place. */
export const itemsRule: RuleFactory = (operand, keyword, { compile }) => {
  if (operand.type !== BsonType.array) {
    const schema = compile(operand, keyword);
    return ofArrays((items) => firstFailing(keyword, items, 0, () => schema));
  }
  const schemas = elementsOf(operand).map((item) => compile(item, keyword));
  return ofArrays((items) =>
    firstFailing(keyword, items.slice(0, schemas.length), 0, (index) => required(schemas[index], 'schema of an item')),
  );
};

/** Items beyond those for which `items` has a schema each: allowed or not, or of a schema of their own. */
export const additionalItemsRule: RuleFactory = (operand, keyword, { get, compile }) => {
  const items = get('items');
  const from = items?.type === BsonType.array ? elementsOf(items).length : undefined;
  if (operand.type === BsonType.bool) {
    if (isTruthy(operand) || from === undefined) return () => undefined;
    return ofArrays((all) => {
      if (all.length <= from) return undefined;
      const additionalItems = all.slice(from).map((item) => new RawValue(item));
      return {
        operatorName: keyword,
        specifiedAs: { [keyword]: false },
        reason: 'found additional items',
        additionalItems,
      };
    });
  }
  const schema = compile(operand, keyword);
  if (from === undefined) return () => undefined;
  return ofArrays((all) => firstFailing(keyword, all.slice(from), from, () => schema));
};

function ofArrays(check: (items: readonly BsonValue[], value: BsonValue) => Report | undefined): Rule {
  return (value) => (value.type === BsonType.array ? check(elementsOf(value), value) : undefined);
}

function firstFailing(
  keyword: string,
  items: readonly BsonValue[],
  from: number,
  schemaOf: (index: number) => Schema,
): Report | undefined {
  for (const [index, item] of items.entries()) {
    const details = schemaOf(index).check(item);
    if (details.length > 0) {
      const reason = 'At least one item did not match the sub-schema';
      return { operatorName: keyword, reason, itemIndex: from + index, details };
    }
  }
  return undefined;
}
