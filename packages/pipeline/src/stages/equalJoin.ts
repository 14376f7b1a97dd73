/** What a `$lookup` asks for by `{ $expr: { $eq: ['$field', '$$variable'] } }`: looked up, where each document would be compared. */
import { BsonType, type BsonValue, ElementCursor, readString } from '@replsim/protocol';
import type { ValueKeys } from '@replsim/storage';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { elementsOf } from '../fields/fields.ts';
import { isNullish } from './builtValues.ts';
import { compileComputed } from './expressions.ts';
import type { Stage } from './stages.ts';
import { lazily, placesByKey, type Work } from './work.ts';
import type { PipelineWorld } from './world.ts';

type Documents = readonly Uint8Array[];

/** The two sides of such a comparison, as expressions. */
export interface Equality {
  readonly path: BsonValue;
  readonly variable: BsonValue;
}

const COMPARISONS: ReadonlySet<string> = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte']);

/**
 * The equality that all documents must meet that a `$match` lets through; undefined if it has none. What stands before it in an `$and` can
 * meet no error, as that would be missed.
 * @param names of the variables
 */
export function equalityIn(stage: Stage | undefined, names: ReadonlySet<string>): Equality | undefined {
  if (stage?.name !== '$match') return undefined;
  const [name, expression] = onlyField(stage.spec) ?? [];
  return name === '$expr' && expression ? inExpression(expression, names) : undefined;
}

function inExpression(expression: BsonValue, names: ReadonlySet<string>): Equality | undefined {
  const [name, operand] = onlyField(expression) ?? [];
  if (operand?.type !== BsonType.array) return undefined;
  const operands = elementsOf(operand);
  if (name === '$eq') return sidesOf(operands, names);
  if (name !== '$and') return undefined;
  for (const each of operands) {
    const found = inExpression(each, names);
    if (found || !isHarmless(each)) return found;
  }
  return undefined;
}

function sidesOf([a, b, ...more]: readonly BsonValue[], names: ReadonlySet<string>): Equality | undefined {
  if (!a || !b || more.length > 0) return undefined;
  if (isPath(a) && isVariable(b, names)) return { path: a, variable: b };
  return isPath(b) && isVariable(a, names) ? { path: b, variable: a } : undefined;
}

/** A comparison of what only has to be looked at. */
function isHarmless(expression: BsonValue): boolean {
  const [name, operand] = onlyField(expression) ?? [];
  if (name === undefined || !COMPARISONS.has(name) || operand?.type !== BsonType.array) return false;
  return elementsOf(operand).every(({ type }) => type !== BsonType.object && type !== BsonType.array);
}

function isPath(value: BsonValue): boolean {
  return value.type === BsonType.string && /^\$[^$]/.test(readString(value));
}

function isVariable(value: BsonValue, names: ReadonlySet<string>): boolean {
  const [, name] = value.type === BsonType.string ? (/^\$\$([^.]+)/.exec(readString(value)) ?? []) : [];
  return name !== undefined && names.has(name);
}

function onlyField({ type, bytes, offset }: BsonValue): readonly [name: string, value: BsonValue] | undefined {
  if (type !== BsonType.object) return undefined;
  const cursor = new ElementCursor(bytes, offset);
  if (!cursor.next()) return undefined;
  const only = [cursor.name, cursor.value()] as const;
  return cursor.next() ? undefined : only;
}

/** Finds, in a world with the variables of one document, those of `all` that may be equal: no one that is is missing. */
export function equalJoin(
  { path, variable }: Equality,
  all: () => Work<Documents>,
  keyOf: ValueKeys,
  world: PipelineWorld,
): (inner: PipelineWorld) => Work<Documents> {
  const field = compileComputed(path, world);
  const keysOf = (document: Uint8Array) => {
    const value = field(document);
    return value ? [keyOf(value)] : [];
  };
  const index = lazily(() => placesByKey(all, keysOf, world.meter));
  return function* (inner) {
    const documents = yield* all();
    const wanted = compileComputed(variable, inner)(EMPTY_DOCUMENT);
    if (!wanted || isNullish(wanted)) return documents;
    const places = (yield* index()).get(keyOf(wanted)) ?? [];
    return places.map((place) => documents[place]!);
  };
}
