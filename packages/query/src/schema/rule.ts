/** What the keywords of `$jsonSchema` have in common. Upstream: json_schema_parser.cpp, doc_validation_error.cpp. */
import { BsonType, type BsonValue, CommandError, RawValue, readString } from '@replsim/protocol';
import { typeName } from '../typeNames.ts';
import { elementsOf, readInteger } from '../values.ts';

/** Why a value does not do, as `errInfo.details` shows it: a document in field order, values in it raw. */
export type Report = Readonly<Record<string, unknown>>;

/** Undefined for a value that does, which one that the keyword does not speak of does too. */
export type Rule = (value: BsonValue) => Report | undefined;

/** A schema, compiled. */
export interface Schema {
  /** `title` and `description`, which reports repeat. */
  readonly annotations: Report;
  /** The keywords that a value does not satisfy; empty if it does. */
  readonly check: (value: BsonValue) => readonly Report[];
}

/** What a keyword may know besides its own value. */
export interface Siblings {
  readonly get: (keyword: string) => BsonValue | undefined;
  /** Compiles a schema within this one. Throws TypeMismatch 14 unless it is a document. */
  readonly compile: (value: BsonValue, keyword: string) => Schema;
}

/** Makes a keyword's rule. Throws TypeMismatch 14, FailedToParse 9, BadValue 2. */
export type RuleFactory = (operand: BsonValue, keyword: string, siblings: Siblings) => Rule;

/** A report on a value that a keyword considered. */
export function considered(
  keyword: string,
  operand: BsonValue,
  reason: string,
  value: BsonValue,
  more?: Report,
): Report {
  const specifiedAs = { [keyword]: new RawValue(operand), ...more };
  return { operatorName: keyword, specifiedAs, reason, consideredValue: new RawValue(value) };
}

export function mustBe(keyword: string, what: string): CommandError {
  return new CommandError('TypeMismatch', `'${keyword}' must be ${what}`);
}

export function malformed(message: string): CommandError {
  return new CommandError('FailedToParse', message);
}

/** A number of things: not negative. Throws FailedToParse 9. Upstream: BSONElement::parseIntegerElementToNonNegativeLong. */
export function countOf(operand: BsonValue, keyword: string): number {
  const count = readInteger(operand);
  if (count === undefined)
    throw malformed(`'${keyword}' must be a whole number, but is of type ${typeName(operand.type)}`);
  if (count < 0n) throw malformed(`'${keyword}' must be 0 or more`);
  return Number(count);
}

/** The strings of an array that has some, each once. */
export function stringsOf(operand: BsonValue, keyword: string): string[] {
  if (operand.type !== BsonType.array) throw mustBe(keyword, 'an array of strings');
  const strings = elementsOf(operand).map((item) => {
    if (item.type !== BsonType.string) throw mustBe(keyword, 'an array of strings');
    return readString(item);
  });
  if (strings.length === 0) throw malformed(`'${keyword}' needs one element or more`);
  if (new Set(strings).size < strings.length) {
    throw malformed(`'${keyword}' holds a value twice`);
  }
  return strings;
}
