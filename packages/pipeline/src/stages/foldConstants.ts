import { BsonType, type BsonValue, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { looksAtDocument } from '@replsim/query';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { elementsOf } from '../fields/fields.ts';
import { BeforePlanError } from '../planner/plannerError.ts';
import { compileComputed, type ExpressionWorld, isCall } from './expressions.ts';
import type { Stage } from './stages.ts';
import { attempted, pay, type Work } from './work.ts';
import type { PipelineWorld } from './world.ts';

/** Operators that look at the rest of their arguments only when they need it: what such a rest says is not known before. */
const LAZY: ReadonlySet<string> = new Set(['$and', '$cond', '$ifNull', '$or', '$switch']);

/** Operators whose value is another one each time, or that mongod does not compute ahead. */
const NEVER_FOLDED: ReadonlySet<string> = new Set([
  '$filter',
  '$function',
  '$let',
  '$map',
  '$rand',
  '$reduce',
  '$sortArray',
  '$switch',
]);

/**
 * Computes what a pipeline's expressions say without a document, as mongod does before it runs anything: an error in one of them is
 * an error of the optimizer, and there whether or not a document comes. Upstream: pipeline.cpp, Pipeline::optimizeContainer;
 * expression.cpp, ExpressionNary::optimize; expression_matcher.h, MatchExpression::optimize.
 */
export function* foldConstants(stages: readonly Stage[], world: PipelineWorld): Work<void> {
  for (const { value, within } of constantsOf(stages, world)) {
    yield* pay(world.meter, 1);
    yield* compute(value, world, within);
  }
}

/** What is computed ahead, and what the words of an error begin with. */
interface Constant {
  readonly value: BsonValue;
  readonly within: string;
}

function constantsOf(stages: readonly Stage[], world: ExpressionWorld): Constant[] {
  const found: Constant[] = [];
  const fold = (value: BsonValue, within = '') => addConstants(value, world, within, found);
  for (const stage of stages) {
    switch (stage.name) {
      case '$project':
      case '$addFields':
      case '$set':
      case '$replaceRoot':
      case '$replaceWith':
        fold(stage.spec);
        break;
      case '$group':
        for (const [name, value] of fieldsIn(stage.spec)) {
          // An accumulator is none of the expressions, and what it gathers is one.
          if (name === '_id') fold(value);
          else for (const [, gathered] of fieldsIn(value)) fold(gathered);
        }
        break;
      case '$match':
        foldFilter(stage.spec, fold);
        break;
    }
  }
  return found;
}

function fieldsIn(value: BsonValue): [name: string, value: BsonValue][] {
  const fields: [name: string, value: BsonValue][] = [];
  if (value.type !== BsonType.object) return fields;
  for (const cursor = new ElementCursor(value.bytes, value.offset); cursor.next(); )
    fields.push([cursor.name, cursor.value()]);
  return fields;
}

function foldFilter(filter: BsonValue, fold: (value: BsonValue, within: string) => void): void {
  for (const [name, value] of fieldsIn(filter)) {
    if (name === '$expr') fold(value, 'Failed to optimize expression :: caused by :: ');
    else if (['$and', '$or', '$nor'].includes(name) && value.type === BsonType.array)
      for (const each of elementsOf(value)) foldFilter(each, fold);
  }
}

function addConstants(value: BsonValue, world: ExpressionWorld, within: string, found: Constant[]): void {
  const add = (inner: BsonValue) => addConstants(inner, world, within, found);
  if (value.type === BsonType.array) for (const each of elementsOf(value)) add(each);
  if (value.type !== BsonType.object) return;
  const fields = fieldsIn(value);
  const [operator] = isCall(value) ? fields[0]! : [];
  if (operator === '$literal') return;
  if (operator !== undefined && isConstant(value, world)) found.push({ value, within });
  else if (operator === undefined || !LAZY.has(operator)) for (const [, each] of fields) add(each);
}

/** Whether nothing in it depends on the document, on chance, or on a variable that an operator binds. */
function isConstant(value: BsonValue, world: ExpressionWorld): boolean {
  return !looksAtDocument(value) && !isBoundOrNeverFolded(value, world);
}

function isBoundOrNeverFolded(value: BsonValue, world: ExpressionWorld): boolean {
  if (value.type === BsonType.string) {
    const variable = /^\$\$([^.]+)/.exec(readString(value))?.[1];
    return variable !== undefined && !world.filterVariables.has(variable);
  }
  if (value.type !== BsonType.array && value.type !== BsonType.object) return false;
  const cursor = new ElementCursor(value.bytes, value.offset);
  while (cursor.next()) {
    if (value.type === BsonType.object && cursor.name === '$literal') continue;
    if (value.type === BsonType.object && NEVER_FOLDED.has(cursor.name)) return true;
    if (isBoundOrNeverFolded(cursor.value(), world)) return true;
  }
  return false;
}

/** What is wrong with how it is written is told where its stage is read. */
function* compute(value: BsonValue, world: PipelineWorld, within: string): Work<void> {
  try {
    const expression = yield* attempted(() => compileComputed(value, world), world.meter);
    yield* attempted(() => expression(EMPTY_DOCUMENT), world.meter);
  } catch (error) {
    if (error instanceof CommandError)
      throw new BeforePlanError(error.code, `Failed to optimize pipeline :: caused by :: ${within}${error.message}`);
    throw error;
  }
}
