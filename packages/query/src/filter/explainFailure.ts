/** Why a document does not match: `errInfo.details` of a failed validation. Upstream: doc_validation_error.cpp. */
import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor, RawValue } from '@replsim/protocol';
import { compileExpression } from '../expression.ts';
import { MISSING, valuesAtPath } from '../paths.ts';
import type { Report } from '../schema/rule.ts';
import { compileSchema } from '../schema/schema.ts';
import { typeName } from '../typeNames.ts';
import { documentValue, elementsOf, fieldsOf } from '../values.ts';
import { compileFilter, type FilterOptions } from './filter.ts';
import { isOperatorObject } from './predicates.ts';

/** How a report is to be read. */
interface Reading extends FilterOptions {
  /** It says why the document matches, as something around the clause asks that it should not. Upstream: InvertError. */
  readonly inverted: boolean;
}

/**
 * Explains why a well-formed filter refuses a document: one report, with those of its clauses inside.
 * Simplification: `specifiedAs` is the clause as it was written, where mongod writes some in its own normal form.
 */
export function explainFailure(filter: Uint8Array, document: Uint8Array, options: FilterOptions = {}): Report {
  return explainFilter(filter, document, { ...options, inverted: false });
}

function explainFilter(filter: Uint8Array, document: Uint8Array, reading: Reading): Report {
  const clauses = clausesOf(filter);
  const [first, ...more] = clauses;
  if (first && more.length === 0) return explain(first, document, reading);
  return ofList('$and', clauses, document, reading, (clause, inner) => explain(clause, document, inner));
}

/** A filter of one field with one operator, so that it can be asked by itself. */
interface Clause {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly value: BsonValue;
  /** Undefined for a top-level operator. */
  readonly operator: string | undefined;
}

function clausesOf(filter: Uint8Array, start = 0): Clause[] {
  const clauses: Clause[] = [];
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    const { name } = cursor;
    const value = cursor.value();
    if (name === '$comment') continue;
    if (name.startsWith('$')) clauses.push({ bytes: single(name, value), name, value, operator: undefined });
    else if (!isOperatorObject(value)) {
      const operator = value.type === BsonType.regex ? '$regex' : '$eq';
      clauses.push({ bytes: single(name, value), name, value, operator });
    } else for (const clause of operatorClauses(name, value)) clauses.push(clause);
  }
  return clauses;
}

function operatorClauses(name: string, value: BsonValue): Clause[] {
  const fields = fieldsOf(value.bytes, value.offset);
  return fields.flatMap(([operator, operand]) => {
    if (operator === '$options' || operator === '$comment') return [];
    const writer = new BsonWriter();
    writer.beginDocument(name);
    writer.rawValue(operator, operand);
    const flags = operator === '$regex' ? fields.find(([other]) => other === '$options') : undefined;
    if (flags) writer.rawValue(...flags);
    writer.endDocument();
    return [{ bytes: writer.finish(), name, value: operand, operator }];
  });
}

function single(name: string, value: BsonValue): Uint8Array {
  const writer = new BsonWriter(value.size + 32);
  writer.rawValue(name, value);
  return writer.finish();
}

function explain(clause: Clause, document: Uint8Array, reading: Reading): Report {
  const { name, operator, value, bytes } = clause;
  const { inverted } = reading;
  if (operator === '$not') {
    const negated = explainFilter(single(name, value), document, { ...reading, inverted: !inverted });
    return { operatorName: operator, details: negated };
  }
  if (operator !== undefined) return ofPath(clause, operator, document, inverted);
  switch (name) {
    case '$jsonSchema': {
      if (inverted) return { operatorName: name, reason: 'schema matched' };
      const schema = compileSchema(value);
      const schemaRulesNotSatisfied = schema.check(documentValue(document));
      return { operatorName: name, ...schema.annotations, schemaRulesNotSatisfied };
    }
    case '$and':
    case '$or':
    case '$nor': {
      const branches = elementsOf(value).map((branch) => ({
        bytes: branch.bytes.slice(branch.offset, branch.offset + branch.size),
      }));
      return ofList(name, branches, document, reading, (branch, inner) => explainFilter(branch.bytes, document, inner));
    }
    case '$expr':
      return ofExpression(clause, document, reading);
    case '$sampleRate': {
      // Where there is no chance, it lets all or none pass.
      const reason = inverted ? 'expression did match' : 'expression did not match';
      return { operatorName: name, specifiedAs: documentOf(bytes), reason, expressionResult: inverted };
    }
    default: {
      const reason = `expression always evaluates to ${inverted}`;
      return { operatorName: name, specifiedAs: documentOf(bytes), reason };
    }
  }
}

/**
 * Names the clauses to which it is due. Of an `$and` that does not match these are some, of an `$or` all; where it should not
 * have matched, it is the other way round. A clause that throws counts either way. Upstream: ValidationErrorContext::pushNewFrame.
 */
function ofList<T extends { readonly bytes: Uint8Array }>(
  operatorName: '$and' | '$or' | '$nor',
  parts: readonly T[],
  document: Uint8Array,
  reading: Reading,
  explainPart: (part: T, reading: Reading) => Report,
): Report {
  const inverted = operatorName === '$nor' ? !reading.inverted : reading.inverted;
  const isDueToSome = operatorName === '$or' ? reading.inverted : !reading.inverted;
  const reports: Report[] = [];
  for (const [index, part] of parts.entries()) {
    if (isDueToSome && outcomeOf(part.bytes, document, reading) === !inverted) continue;
    reports.push({ index, details: explainPart(part, { ...reading, inverted }) });
  }
  return { operatorName, [inverted ? 'clausesSatisfied' : 'clausesNotSatisfied']: reports };
}

/** Whether a document matches; undefined if nobody can tell, as an expression throws. */
function outcomeOf(filter: Uint8Array, document: Uint8Array, options: FilterOptions): boolean | undefined {
  const matches = compileFilter(filter, options);
  try {
    return matches(document);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

function ofExpression({ name, bytes, value }: Clause, document: Uint8Array, reading: Reading): Report {
  const report = { operatorName: name, specifiedAs: documentOf(bytes) };
  const expression = compileExpression(value, reading.variables, reading.collator);
  try {
    const result = expression(document);
    const reason = reading.inverted ? 'expression did match' : 'expression did not match';
    return { ...report, reason, ...(result && { expressionResult: new RawValue(result) }) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { code, codeName, message } = error;
    const details = { code, codeName, errmsg: message };
    return { ...report, reason: 'failed to evaluate aggregation expression', details };
  }
}

/** What reports on an operator say. */
interface Words {
  /** If the document does not match, and if it does. */
  readonly reasons: readonly [failed: string, held: string];
  /** Other values are of a wrong type. */
  readonly types?: readonly number[];
  /** An array is looked at as a whole, not by its elements. */
  readonly isOfArrays?: true;
}

const NUMBERS = [BsonType.double, BsonType.int, BsonType.long, BsonType.decimal];
const BITS: Words = {
  reasons: ['bitwise operator failed to match', 'bitwise operator matched successfully'],
  types: [...NUMBERS, BsonType.binData],
};
const COMPARISON: Words = { reasons: ['comparison failed', 'comparison succeeded'] };
const LIST: Words = { reasons: ['no matching value found in array', 'matching value found in array'] };

const words: ReadonlyMap<string, Words> = new Map([
  ['$in', LIST],
  ['$nin', LIST],
  ['$type', { reasons: ['type did not match', 'type did match'] }],
  [
    '$regex',
    {
      reasons: ['regular expression did not match', 'regular expression did match'],
      types: [BsonType.string, BsonType.symbol, BsonType.regex],
    },
  ],
  [
    '$size',
    {
      reasons: ['array length was not equal to given size', 'array length was equal to given size'],
      types: [BsonType.array],
      isOfArrays: true,
    },
  ],
  [
    '$mod',
    {
      reasons: ['$mod did not evaluate to expected remainder', '$mod did evaluate to expected remainder'],
      types: NUMBERS,
    },
  ],
  [
    '$elemMatch',
    {
      reasons: ['array did not satisfy the child predicate', 'array did satisfy the child predicate'],
      types: [BsonType.array],
      isOfArrays: true,
    },
  ],
  [
    '$all',
    {
      reasons: ['array did not contain all specified values', 'array did contain all specified values'],
      isOfArrays: true,
    },
  ],
  [
    '$geoWithin',
    {
      reasons: [
        'none of the considered geometries were contained within the expression’s geometry',
        'at least one of considered geometries was contained within the expression’s geometry',
      ],
    },
  ],
  [
    '$geoIntersects',
    {
      reasons: [
        'none of the considered geometries intersected the expression’s geometry',
        'at least one of considered geometries intersected the expression’s geometry',
      ],
    },
  ],
  ...['$bitsAllClear', '$bitsAllSet', '$bitsAnyClear', '$bitsAnySet'].map((name) => [name, BITS] as const),
]);

/** Those that say that another does not hold. */
const NEGATIONS: ReadonlySet<string> = new Set(['$ne', '$nin']);

/** So many values are shown at most. Upstream: query_knobs.idl, internalQueryMaxDocValidationErrorConsideredValues. */
const MAX_CONSIDERED = 10;

function ofPath({ bytes, name }: Clause, operator: string, document: Uint8Array, inverted: boolean): Report {
  const report = { operatorName: operator, specifiedAs: documentOf(bytes) };
  const reached = valuesAtPath(document, name, false).filter((value) => value !== MISSING);
  if (operator === '$exists') {
    return { ...report, reason: reached.length > 0 ? 'path does exist' : 'path does not exist' };
  }
  if (reached.length === 0) return { ...report, reason: 'field was missing' };
  const { reasons, types, isOfArrays } = words.get(operator) ?? COMPARISON;
  const [failed, held] = reasons;
  const values = isOfArrays
    ? reached
    : reached.flatMap((value) => (value.type === BsonType.array ? elementsOf(value) : [value]));
  const shown = consideredValues(values.slice(0, MAX_CONSIDERED));
  const isCut = values.length > MAX_CONSIDERED && { consideredValuesTruncated: true };
  const considered = values.map(({ type }) => type);
  if (types && !considered.some((type) => types.includes(type))) {
    const expected = typesOf('expectedType', types);
    return { ...report, reason: 'type did not match', ...typesOf('consideredType', considered), ...expected, ...shown, ...isCut }; // biome-ignore format: one line
  }
  const reason = NEGATIONS.has(operator) === inverted ? failed : held;
  const ofTypes = operator === '$type' && typesOf('consideredType', considered);
  return { ...report, reason, ...shown, ...isCut, ...ofTypes };
}

/** One value is shown by itself. */
function consideredValues(values: readonly BsonValue[]): Report {
  const [first, ...more] = values.map((value) => new RawValue(value));
  return first && more.length === 0 ? { consideredValue: first } : { consideredValues: first ? [first, ...more] : [] };
}

/** The names of types, each once and in their order; one by itself. */
function typesOf(field: 'consideredType' | 'expectedType', types: readonly number[]): Report {
  const [first, ...more] = [...new Set(types.map(typeName))].sort();
  if (first === undefined) return {};
  return more.length === 0 ? { [field]: first } : { [`${field}s`]: [first, ...more] };
}

function documentOf(bytes: Uint8Array): RawValue {
  return new RawValue(documentValue(bytes));
}
