import { BsonType, type BsonValue, RawValue } from '@replsim/protocol';
import { fieldsOf } from '../values.ts';
import { additionalItemsRule, itemCountRule, itemsRule, uniqueItemsRule } from './arrayRules.ts';
import { joinRule, notRule } from './logicRules.ts';
import {
  additionalPropertiesRule,
  dependenciesRule,
  patternPropertiesRule,
  propertiesRule,
  propertyCountRule,
  requiredRule,
} from './objectRules.ts';
import { malformed, mustBe, type Report, type Rule, type RuleFactory, type Schema, type Siblings } from './rule.ts';
import {
  annotationRule,
  bsonTypeRule,
  enumRule,
  exclusiveRule,
  jsonTypeRule,
  lengthRule,
  multipleOfRule,
  patternRule,
  rangeRule,
} from './valueRules.ts';

/** In the order in which reports speak of them. */
const keywords = new Map<string, RuleFactory>([
  ['type', jsonTypeRule],
  ['bsonType', bsonTypeRule],
  ['enum', enumRule],
  ['maximum', rangeRule],
  ['exclusiveMaximum', exclusiveRule],
  ['minimum', rangeRule],
  ['exclusiveMinimum', exclusiveRule],
  ['multipleOf', multipleOfRule],
  ['maxLength', lengthRule],
  ['minLength', lengthRule],
  ['pattern', patternRule],
  ['maxItems', itemCountRule],
  ['minItems', itemCountRule],
  ['uniqueItems', uniqueItemsRule],
  ['items', itemsRule],
  ['additionalItems', additionalItemsRule],
  ['maxProperties', propertyCountRule],
  ['minProperties', propertyCountRule],
  ['properties', propertiesRule],
  ['patternProperties', patternPropertiesRule],
  ['additionalProperties', additionalPropertiesRule],
  ['dependencies', dependenciesRule],
  ['required', requiredRule],
  ['allOf', joinRule],
  ['anyOf', joinRule],
  ['oneOf', joinRule],
  ['not', notRule],
  ['title', annotationRule],
  ['description', annotationRule],
]);

/** Keywords of JSON Schema that mongod does not have either. */
const unsupported: ReadonlySet<string> = new Set(['$ref', '$schema', 'default', 'definitions', 'format', 'id']);

/**
 * Compiles the value of `$jsonSchema`, or of a keyword that holds a schema.
 * Throws TypeMismatch 14, FailedToParse 9 for unknown keywords and what makes no sense, BadValue 2 for a list of no schemas.
 * Upstream: json_schema_parser.cpp, JSONSchemaParser::parse.
 */
export function compileSchema(value: BsonValue, keyword = '$jsonSchema'): Schema {
  if (value.type !== BsonType.object) throw mustBe(keyword, 'an object');
  const given = new Map(fieldsOf(value.bytes, value.offset));
  for (const name of given.keys()) checkKeyword(name);
  if (given.has('type') && given.has('bsonType')) {
    throw malformed('a $jsonSchema may have type or bsonType, not both');
  }
  const siblings: Siblings = { get: (name) => given.get(name), compile: compileSchema };
  const rules: Rule[] = [];
  for (const [name, factory] of keywords) {
    const operand = given.get(name);
    if (operand) rules.push(factory(operand, name, siblings));
  }
  const annotations: Record<string, unknown> = {};
  for (const name of ['title', 'description']) {
    const annotation = given.get(name);
    if (annotation) annotations[name] = new RawValue(annotation);
  }
  return { annotations, check: (considered) => reportsOf(rules, considered) };
}

function reportsOf(rules: readonly Rule[], value: BsonValue): Report[] {
  const reports: Report[] = [];
  for (const rule of rules) {
    const report = rule(value);
    if (report) reports.push(report);
  }
  return reports;
}

function checkKeyword(name: string): void {
  if (unsupported.has(name)) throw malformed(`$jsonSchema cannot have '${name}'`);
  if (!keywords.has(name)) throw malformed(`Unknown $jsonSchema keyword: ${name}`);
}
