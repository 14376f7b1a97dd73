/** Keywords that join schemas. */
import { BsonType, CommandError } from '@replsim/protocol';
import { elementsOf } from '../values.ts';
import { mustBe, type Report, type RuleFactory } from './rule.ts';

/** `allOf`, `anyOf`, `oneOf`. */
export const joinRule: RuleFactory = (operand, keyword, { compile }) => {
  if (operand.type !== BsonType.array) throw mustBe(keyword, 'an array');
  const schemas = elementsOf(operand).map((item) => compile(item, keyword));
  if (schemas.length === 0) throw new CommandError('BadValue', `'${keyword}' needs one schema or more`);
  return (value) => {
    const schemasNotSatisfied: Report[] = [];
    const matchingSchemaIndexes: number[] = [];
    for (const [index, { check, annotations }] of schemas.entries()) {
      const details = check(value);
      if (details.length > 0) schemasNotSatisfied.push({ index, ...annotations, details });
      else matchingSchemaIndexes.push(index);
    }
    const { length } = matchingSchemaIndexes;
    if (keyword === 'oneOf' && length > 1) {
      return { operatorName: keyword, reason: 'more than one subschema matched', matchingSchemaIndexes };
    }
    const holds = keyword === 'allOf' ? length === schemas.length : length > 0;
    return holds ? undefined : { operatorName: keyword, schemasNotSatisfied };
  };
};

export const notRule: RuleFactory = (operand, keyword, { compile }) => {
  const schema = compile(operand, keyword);
  return (value) =>
    schema.check(value).length > 0 ? undefined : { operatorName: keyword, reason: 'child expression matched' };
};
