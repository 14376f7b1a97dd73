/** Why a document does not match: `errInfo.details` of a failed validation. Upstream: doc_validation_error.cpp. */
import { BsonType, type BsonValue, BsonWriter, ElementCursor, RawValue } from '@replsim/protocol';
import { compileExpression } from '../expression.ts';
import { MISSING, valuesAtPath } from '../paths.ts';
import type { Report } from '../schema/rule.ts';
import { compileSchema } from '../schema/schema.ts';
import { typeName } from '../typeNames.ts';
import { documentValue, elementsOf, fieldsOf } from '../values.ts';
import { compileFilter, type FilterOptions } from './filter.ts';
import { isOperatorObject } from './predicates.ts';

/**
 * Explains why a well-formed filter refuses a document: one report, with those of its clauses inside.
 * Simplification: `specifiedAs` is the clause as it was written, where mongod writes some in its own normal form.
 */
export function explainFailure(filter: Uint8Array, document: Uint8Array, options: FilterOptions = {}): Report {
  const clauses = clausesOf(filter);
  const [first, ...more] = clauses;
  return first && more.length === 0 ? explain(first, document, options) : ofAnd(clauses, document, options);
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

function explain(clause: Clause, document: Uint8Array, options: FilterOptions): Report {
  const { name, operator, bytes } = clause;
  if (operator !== undefined) return ofPath(clause, operator, document);
  switch (name) {
    case '$jsonSchema': {
      const schema = compileSchema(clause.value);
      const schemaRulesNotSatisfied = schema.check(documentValue(document));
      return { operatorName: name, ...schema.annotations, schemaRulesNotSatisfied };
    }
    case '$and':
    case '$or':
    case '$nor':
      return ofJoin(clause, document, options);
    case '$expr': {
      const result = compileExpression(clause.value, options.variables, options.collator)(document);
      const report = { operatorName: name, specifiedAs: documentOf(bytes), reason: 'expression did not match' };
      return result ? { ...report, expressionResult: new RawValue(result) } : report;
    }
    default:
      return { operatorName: name, specifiedAs: documentOf(bytes), reason: 'expression always evaluates to false' };
  }
}

/** `$and` and `$or` name the branches that fail, `$nor` those that hold. */
function ofJoin({ name, value }: Clause, document: Uint8Array, options: FilterOptions): Report {
  const reports: Report[] = [];
  for (const [index, branch] of elementsOf(value).entries()) {
    const bytes = branch.bytes.slice(branch.offset, branch.offset + branch.size);
    const holds = compileFilter(bytes, options)(document);
    if (name === '$nor' && holds)
      reports.push({ index, details: { specifiedAs: documentOf(bytes), reason: 'clause matched' } });
    else if (name !== '$nor' && !holds) reports.push({ index, details: explainFailure(bytes, document, options) });
  }
  return { operatorName: name, [name === '$nor' ? 'clausesSatisfied' : 'clausesNotSatisfied']: reports };
}

/** The fields of one filter, all of which had to hold. */
function ofAnd(clauses: readonly Clause[], document: Uint8Array, options: FilterOptions): Report {
  const clausesNotSatisfied: Report[] = [];
  for (const [index, clause] of clauses.entries()) {
    if (compileFilter(clause.bytes, options)(document)) continue;
    clausesNotSatisfied.push({ index, details: explain(clause, document, options) });
  }
  return { operatorName: '$and', clausesNotSatisfied };
}

const reasons = new Map([
  ['$in', 'no matching value found in array'],
  ['$nin', 'matching value found in array'],
  ['$type', 'type did not match'],
  ['$regex', 'regular expression did not match'],
  ['$size', 'array length was not equal to given size'],
  ['$mod', '$mod did not evaluate to expected remainder'],
  ['$elemMatch', 'array did not satisfy the child predicate'],
  ['$all', 'array did not contain all specified values'],
  ['$not', 'child expression matched'],
]);

function ofPath({ bytes, name }: Clause, operator: string, document: Uint8Array): Report {
  const base = { operatorName: operator, specifiedAs: documentOf(bytes) };
  const values = valuesAtPath(document, name, false).filter((value) => value !== MISSING);
  if (operator === '$exists') {
    return { ...base, reason: values.length > 0 ? 'path does exist' : 'path does not exist' };
  }
  const reason = reasons.get(operator) ?? (operator === '$ne' ? 'comparison succeeded' : 'comparison failed');
  const [first] = values;
  if (!first) return { ...base, reason: 'field was missing' };
  if (values.length > 1) return { ...base, reason, consideredValues: values.map((value) => new RawValue(value)) };
  const shown = { ...base, reason, consideredValue: new RawValue(first) };
  return operator === '$type' ? { ...shown, consideredType: typeName(first.type) } : shown;
}

function documentOf(bytes: Uint8Array): RawValue {
  return new RawValue(documentValue(bytes));
}
