import { BsonType, type BsonValue, CommandError, ElementCursor, encodeDocument, IdSource } from '@replsim/protocol';
import {
  ACCUMULATOR_NAMES,
  compileExpression,
  compileFilter,
  compileUpdate,
  EXPRESSION_NAMES,
  MATCH_OPERATOR_NAMES,
  UPDATE_OPERATOR_NAMES,
  WINDOW_FUNCTION_NAMES,
} from '@replsim/query';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OperationVariables } from '../../packages/pipeline/src/stages/operationVariables.ts';
import { runStages } from '../../packages/pipeline/src/stages/runStages.ts';
import { stageRules } from '../../packages/pipeline/src/stages/stageRules.ts';
import { parseStages } from '../../packages/pipeline/src/stages/stages.ts';
import type { PipelineWorld } from '../../packages/pipeline/src/stages/world.ts';
import {
  accumulatorArgument,
  anyDocument,
  expressionCall,
  extreme,
  extremeObject,
  type Fields,
  geometry,
  stageSpec,
  V8,
  windowBounds,
} from './extremes.ts';

// Whatever arguments an operator gets, it answers with a value or with an error of mongod's: no text of JavaScript reaches a client.
// `npm run extremes` tries more.

const { EXTREMES } = process.env;
const SEEDS = EXTREMES === undefined ? 6 : Number(EXTREMES);
/** Work is cut off here, as `maxTimeMS` does: what is asked of is not how long it takes. Unit: µs. */
const TIME_MICROS = 50_000;

/** @returns what is wrong with how it ended, if anything */
function wrongIn(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) return `${(error as Error).stack}`.split('\n').slice(0, 4).join(' | ');
    const text = error.message.slice(0, 200);
    return error.code === 1 || V8.test(text) ? `${error.code} ${text}` : undefined;
  }
}

/** One draw in so many comes to a value at least: the others end with an error before they have computed anything. */
const FEWEST_VALUES = 20;

/** What ended wrong of all names, each with as many seeds. */
function wrongOf<T>(
  names: Iterable<string>,
  drawn: (name: string) => fc.Arbitrary<T>,
  run: (each: T) => void,
): string[] {
  const wrong = new Set<string>();
  let [runs, values] = [0, 0];
  for (const name of names) {
    for (const each of fc.sample(drawn(name), { numRuns: SEEDS, seed: 1 })) {
      let ended = false;
      const what = wrongIn(() => {
        run(each);
        ended = true;
      });
      runs++;
      if (ended) values++;
      if (what !== undefined) wrong.add(`${name}: ${what}`);
    }
  }
  expect(values * FEWEST_VALUES).toBeGreaterThan(runs);
  return [...wrong];
}

function bsonOf(value: unknown): BsonValue {
  const cursor = new ElementCursor(encodeDocument(new Map([['v', value]])));
  cursor.next();
  return cursor.value();
}

function worldOf(): PipelineWorld {
  const filterVariables = new OperationVariables(() => 0.5, []);
  filterVariables.meter.until(() => TIME_MICROS);
  const others = [encodeDocument({ _id: 1, a: 1 }), encodeDocument({ _id: 2, a: [1, 2] })];
  return {
    filterVariables,
    meter: filterVariables.meter,
    collator: undefined,
    ids: new IdSource([1, 2]),
    collection: function* () {
      return others;
    },
    searchIn: () => undefined as never,
    checkJoins: () => {},
  };
}

function run(stage: Fields, documents: readonly Uint8Array[]): void {
  const list = bsonOf([stage]);
  const stages: BsonValue[] = [];
  const cursor = new ElementCursor(list.bytes, list.offset);
  while (cursor.next()) stages.push(cursor.value());
  const work = runStages(parseStages(stages), documents, worldOf());
  let micros = 0;
  for (let step = work.next(); !step.done && micros < TIME_MICROS; step = work.next()) micros += step.value;
}

const documents = fc.array(anyDocument, { minLength: 1, maxLength: 4 });
const one = (name: string, value: unknown): Fields => new Map([[name, value]]);

describe('no error of JavaScript', () => {
  test('of expressions', () => {
    const drawn = (name: string) => fc.tuple(expressionCall(name), anyDocument);
    const wrong = wrongOf(EXPRESSION_NAMES, drawn, ([call, document]) => {
      compileExpression(bsonOf(call), worldOf().filterVariables)(document);
    });
    expect(wrong).toEqual([]);
  });

  test('of stages', () => {
    const drawn = (name: string) => fc.tuple(stageSpec(name), documents, fc.constant(name));
    expect(wrongOf(stageRules.keys(), drawn, ([spec, input, name]) => run(one(name, spec), input))).toEqual([]);
  });

  test('of accumulators', () => {
    const drawn = (name: string) => fc.tuple(accumulatorArgument(name), documents, fc.constant(name));
    const wrong = wrongOf(ACCUMULATOR_NAMES, drawn, ([argument, input, name]) =>
      run(
        one(
          '$group',
          new Map<string, unknown>([
            ['_id', null],
            ['v', one(name, argument)],
          ]),
        ),
        input,
      ),
    );
    expect(wrong).toEqual([]);
  });

  test('of window functions', () => {
    const drawn = (name: string) =>
      fc.tuple(
        accumulatorArgument(name),
        windowBounds,
        fc.constantFrom('documents', 'range'),
        documents,
        fc.constant(name),
      );
    const wrong = wrongOf(WINDOW_FUNCTION_NAMES, drawn, ([argument, window, kind, input, name]) => {
      const output = new Map([[name, argument]]);
      if (window) output.set('window', { [kind]: window });
      run(one('$setWindowFields', { sortBy: { a: 1 }, output: { v: output } }), input);
    });
    expect(wrong).toEqual([]);
  });

  test('of updates', () => {
    const argument = fc.oneof(
      extreme,
      extremeObject,
      extreme.map((value) => one('a', value)),
      extremeObject.map((value) => one('a', value)),
    );
    const drawn = (name: string) => fc.tuple(argument, anyDocument, fc.constant(name));
    const wrong = wrongOf(UPDATE_OPERATOR_NAMES, drawn, ([value, document, name]) => {
      const update = bsonOf(one(name, value));
      if (update.type === BsonType.object) compileUpdate(bytesOf(update), { nowMs: 0 }).apply(document);
    });
    expect(wrong).toEqual([]);
  });

  test('of filters', () => {
    const drawn = (name: string) =>
      fc.tuple(fc.oneof(extreme, extremeObject, geometry), fc.boolean(), anyDocument, fc.constant(name));
    const wrong = wrongOf(MATCH_OPERATOR_NAMES, drawn, ([value, isOfField, document, name]) => {
      const call = one(name, value);
      compileFilter(encodeDocument(isOfField ? new Map([['a', call]]) : new Map(call)), { variables: new Map() })(
        document,
      );
    });
    expect(wrong).toEqual([]);
  });
});

function bytesOf({ bytes, offset, size }: BsonValue): Uint8Array {
  return bytes.subarray(offset, offset + size);
}
