/** Keywords about documents. */
import { BsonType, type BsonValue, RawValue } from '@replsim/protocol';
import { compileRegex } from '../regex/compileRegex.ts';
import { fieldsOf, isTruthy } from '../values.ts';
import { countOf, mustBe, type Report, type Rule, type RuleFactory, stringsOf } from './rule.ts';

type Field = readonly [name: string, value: BsonValue];

export const requiredRule: RuleFactory = (operand, keyword) => {
  const required = stringsOf(operand, keyword);
  return ofObjects((fields) => {
    const missingProperties = missing(required, fields);
    if (missingProperties.length === 0) return undefined;
    return { operatorName: keyword, specifiedAs: { [keyword]: new RawValue(operand) }, missingProperties };
  });
};

/** `minProperties`, `maxProperties`. */
export const propertyCountRule: RuleFactory = (operand, keyword) => {
  const limit = countOf(operand, keyword);
  return ofObjects(({ length }) => {
    if (keyword === 'minProperties' ? length >= limit : length <= limit) return undefined;
    const specifiedAs = { [keyword]: new RawValue(operand) };
    const reason = 'specified number of properties was not satisfied';
    return { operatorName: keyword, specifiedAs, reason, numberOfProperties: length };
  });
};

export const propertiesRule: RuleFactory = (operand, keyword, { compile }) => {
  const schemas = new Map(fieldsIn(operand, keyword).map(([name, value]) => [name, compile(value, name)]));
  return ofObjects((fields) => {
    const propertiesNotSatisfied: Report[] = [];
    for (const [propertyName, schema] of schemas) {
      const value = fields.find(([name]) => name === propertyName)?.[1];
      const details = value ? schema.check(value) : [];
      if (details.length > 0) propertiesNotSatisfied.push({ propertyName, ...schema.annotations, details });
    }
    return propertiesNotSatisfied.length > 0 ? { operatorName: keyword, propertiesNotSatisfied } : undefined;
  });
};

export const patternPropertiesRule: RuleFactory = (operand, keyword, { compile }) => {
  const patterns = fieldsIn(operand, keyword).map(([source, value]) => {
    return { source, regex: compileRegex(source, ''), schema: compile(value, source) };
  });
  return ofObjects((fields) => {
    const failing: Report[] = [];
    for (const { source, regex, schema } of patterns) {
      for (const [propertyName, value] of fields) {
        const details = regex.test(propertyName) ? schema.check(value) : [];
        if (details.length > 0) failing.push({ propertyName, regexMatched: source, details });
      }
    }
    return failing.length > 0 ? { operatorName: keyword, details: failing } : undefined;
  });
};

/** Fields that neither `properties` nor `patternProperties` name: allowed or not, or of a schema of their own. */
export const additionalPropertiesRule: RuleFactory = (operand, keyword, { get, compile }) => {
  const named = new Set(namesIn(get('properties')));
  const patterns = namesIn(get('patternProperties')).map((source) => compileRegex(source, ''));
  const isAdditional = ([name]: Field) => !named.has(name) && !patterns.some((pattern) => pattern.test(name));
  if (operand.type === BsonType.bool) {
    if (isTruthy(operand)) return () => undefined;
    return ofObjects((fields) => {
      const additionalProperties = fields.filter(isAdditional).map(([name]) => name);
      if (additionalProperties.length === 0) return undefined;
      return { operatorName: keyword, specifiedAs: { [keyword]: false }, additionalProperties };
    });
  }
  const schema = compile(operand, keyword);
  return ofObjects((fields) => {
    for (const [failingProperty, value] of fields.filter(isAdditional)) {
      const details = schema.check(value);
      const reason = 'at least one additional property did not match the subschema';
      if (details.length > 0) return { operatorName: keyword, reason, failingProperty, details };
    }
    return undefined;
  });
};

/** What must be so if a field is there: other fields are, or a schema holds. */
export const dependenciesRule: RuleFactory = (operand, keyword, { compile }) => {
  const dependencies = fieldsIn(operand, keyword).map(([name, value]): readonly [string, Rule] => {
    if (value.type !== BsonType.array) {
      const schema = compile(value, name);
      return [name, (document) => withDetails(schema.check(document))];
    }
    const required = stringsOf(value, keyword);
    return [name, ofObjects((fields) => withMissing(missing(required, fields)))];
  });
  return (value) => {
    if (value.type !== BsonType.object) return undefined;
    const present = new Set(fieldsOf(value.bytes, value.offset).map(([name]) => name));
    const failingDependencies = dependencies.flatMap(([conditionalProperty, rule]) => {
      const report = present.has(conditionalProperty) ? rule(value) : undefined;
      return report ? [{ conditionalProperty, ...report }] : [];
    });
    return failingDependencies.length > 0 ? { operatorName: keyword, failingDependencies } : undefined;
  };
};

function withDetails(details: readonly Report[]): Report | undefined {
  return details.length > 0 ? { details } : undefined;
}

function withMissing(missingProperties: readonly string[]): Report | undefined {
  return missingProperties.length > 0 ? { missingProperties } : undefined;
}

function missing(required: readonly string[], fields: readonly Field[]): string[] {
  return required.filter((name) => !fields.some(([field]) => field === name));
}

function ofObjects(check: (fields: readonly Field[]) => Report | undefined): Rule {
  return (value) => (value.type === BsonType.object ? check(fieldsOf(value.bytes, value.offset)) : undefined);
}

function fieldsIn(operand: BsonValue, keyword: string): Field[] {
  if (operand.type !== BsonType.object) throw mustBe(keyword, 'an object');
  return fieldsOf(operand.bytes, operand.offset);
}

function namesIn(value: BsonValue | undefined): string[] {
  return value?.type === BsonType.object ? fieldsOf(value.bytes, value.offset).map(([name]) => name) : [];
}
