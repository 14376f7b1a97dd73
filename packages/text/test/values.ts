import { type BsonValue, encodeDocument, encodeName, requiredField } from '@replsim/protocol';
import { readTextRules, type TextRules } from '../src/index.ts';

const NAME = encodeName('v');

export function bsonOf(v: unknown): BsonValue {
  return requiredField(encodeDocument({ v }), NAME);
}

/** The rules of an index as it is stored with these options. */
export function rulesOf(weights: Record<string, number>, more: Record<string, unknown> = {}): TextRules {
  return readTextRules(new Map(Object.entries({ weights, ...more }).map(([name, option]) => [name, bsonOf(option)])));
}
