/** `$densify`: new documents where a sequence of numbers or dates has gaps. Upstream: document_source_densify.cpp. */
import { BsonType, type BsonValue, CommandError, readInt64AsNumber } from '@replsim/protocol';
import {
  applyProjection,
  type Collator,
  combineNumbers,
  compareValues,
  compileKeyedSort,
  type Meter,
  newProjectionTree,
  plantNode,
  ROW_STEPS,
  valueAtPath,
} from '@replsim/query';
import { valueKeys } from '@replsim/storage';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { bytesOf, isNumeric } from '../fields/values.ts';
import { built, documentValue, isNullish } from './builtValues.ts';
import { type Densify, parseDensify } from './densifySpec.ts';
import type { Gather } from './groupStages.ts';
import { placeAt } from './nestedFields.ts';
import { documentsInOrder } from './sortInTurns.ts';
import { documentOf, type Stage } from './stages.ts';
import { addTime } from './timeUnits.ts';
import { pay, type Work } from './work.ts';
import type { PipelineWorld } from './world.ts';

/** More make the stage fail. Upstream: query_knobs.idl, internalQueryMaxAllowedDensifyDocs. */
const MAX_GENERATED = 500_000;

/**
 * Compiles the stage. What is null or missing in the field passes. Errors: those of `parseDensify`; of documents,
 * Location5733201, 6053600, 5897900 for too many.
 */
export function densifyStage(stage: Stage, { collator, meter }: PipelineWorld): Gather {
  const densify = parseDensify(documentOf(stage));
  const { field, partitionBy, bounds } = densify;
  // All partitions are gone through together where their bounds are those of the whole.
  const keys = bounds === 'full' ? [field] : [...partitionBy, field];
  const sort = compileKeyedSort(sortSpec(keys), collator);
  return function* (documents) {
    const sorted = yield* documentsInOrder(documents, sort, meter);
    return yield* new Densification(densify, collator, meter).run(sorted);
  };
}

function sortSpec(paths: readonly string[]): Uint8Array {
  return bytesOf(
    built((writer) => {
      writer.beginDocument('v');
      for (const path of new Set(paths)) writer.int32(path, 1);
      writer.endDocument();
    }),
  );
}

interface Partition {
  /** The fields that its new documents have. */
  readonly fields: Uint8Array;
  /** The last value on the steps; undefined below explicit bounds. */
  current: BsonValue | undefined;
}

class Densification {
  readonly #densify: Densify;
  readonly #output: Uint8Array[] = [];
  readonly #partitions = new Map<string, Partition>();
  readonly #keyOf: (value: BsonValue) => string;
  readonly #meter: Meter;
  #generated = 0;

  constructor(densify: Densify, collator: Collator | undefined, meter: Meter) {
    this.#densify = densify;
    this.#meter = meter;
    this.#keyOf = valueKeys(collator);
  }

  *run(documents: readonly Uint8Array[]): Work<Uint8Array[]> {
    const { field, bounds } = this.#densify;
    let least: BsonValue | undefined;
    let greatest: BsonValue | undefined;
    for (const document of documents) {
      const value = valueAtPath(document, field);
      if (value && !isNullish(value)) {
        this.#check(value);
        least ??= value;
        greatest = value;
        yield* this.#fillUpTo(this.#partitionOf(document, value, least), value);
      }
      this.#output.push(document);
    }
    if (bounds === 'full' && greatest) yield* this.#finish(greatest, true);
    if (typeof bounds === 'object') {
      if (this.#partitions.size === 0 && this.#densify.partitionBy.length === 0) this.#addPartition('', EMPTY_DOCUMENT);
      yield* this.#finish(bounds.upper, false);
    }
    return this.#output;
  }

  #partitionOf(document: Uint8Array, value: BsonValue, least: BsonValue): Partition {
    const { bounds, partitionBy } = this.#densify;
    const fields = partitionBy.length === 0 ? EMPTY_DOCUMENT : onlyFields(document, partitionBy);
    const key = this.#keyOf(documentValue(fields));
    const known = this.#partitions.get(key);
    if (known) return known;
    const partition = this.#addPartition(key, fields);
    if (bounds === 'full') partition.current = this.#moved(least, -1);
    else if (bounds === 'partition') partition.current = this.#moved(value, -1);
    return partition;
  }

  #addPartition(key: string, fields: Uint8Array): Partition {
    const partition: Partition = { fields, current: undefined };
    this.#partitions.set(key, partition);
    return partition;
  }

  /** Makes the documents on the steps below a value that is there, and takes that one for a step if it is on them. */
  *#fillUpTo(partition: Partition, value: BsonValue): Work<void> {
    const { bounds } = this.#densify;
    if (typeof bounds === 'object') {
      if (compareValues(value, bounds.lower) < 0) return;
      partition.current ??= this.#moved(bounds.lower, -1);
      const isAbove = compareValues(value, bounds.upper) >= 0;
      yield* this.#generate(partition, isAbove ? bounds.upper : value, false);
      if (isAbove) return;
    } else yield* this.#generate(partition, value, false);
    const next = this.#next(partition);
    if (compareValues(value, next) === 0) partition.current = value;
  }

  /** What is missing behind the last document of each partition. */
  *#finish(end: BsonValue, isIncluded: boolean): Work<void> {
    const { bounds } = this.#densify;
    for (const partition of this.#partitions.values()) {
      if (typeof bounds === 'object') partition.current ??= this.#moved(bounds.lower, -1);
      yield* this.#generate(partition, end, isIncluded);
    }
  }

  *#generate(partition: Partition, end: BsonValue, isIncluded: boolean): Work<void> {
    for (let next = this.#next(partition); ; next = this.#next(partition)) {
      yield* pay(this.#meter, ROW_STEPS);
      const order = compareValues(next, end);
      if (order > 0 || (order === 0 && !isIncluded)) return;
      if (++this.#generated > MAX_GENERATED) {
        throw new CommandError(
          5897900,
          `Generated more than ${MAX_GENERATED} documents in $densify, which is the limit`,
        );
      }
      this.#output.push(placeAt(partition.fields, this.#densify.field, next));
      partition.current = next;
    }
  }

  #next({ current }: Partition): BsonValue {
    if (!current) throw new CommandError('InternalError', '$densify has no value to go on from');
    return this.#moved(current, 1);
  }

  #moved(value: BsonValue, steps: 1 | -1): BsonValue {
    const { step, stepNumber, unit } = this.#densify;
    if (unit !== undefined) {
      const ms = readInt64AsNumber(value.bytes, value.offset);
      return built((writer) => writer.date('v', addTime(ms, steps * stepNumber, unit)));
    }
    const sign = built((writer) => writer.int32('v', steps));
    const amount = combineNumbers('multiply', step, sign);
    const moved = amount && combineNumbers('add', value, amount);
    if (moved) return moved;
    throw new CommandError('BadValue', '$densify goes beyond what an int64 can hold');
  }

  #check(value: BsonValue): void {
    const { unit } = this.#densify;
    const isDate = value.type === BsonType.date;
    if (!isDate && !isNumeric(value.type))
      throw new CommandError(5733201, 'Densify field type must be numeric or a date');
    if (!isDate && unit !== undefined) {
      throw new CommandError(6053600, 'Encountered numeric densify value in collection when step has a date unit');
    }
    if (isDate && unit === undefined) {
      throw new CommandError(
        6053600,
        'Encountered date densify value in collection when step does not have a date unit',
      );
    }
  }
}

function onlyFields(document: Uint8Array, paths: readonly string[]): Uint8Array {
  const tree = newProjectionTree();
  for (const path of new Set(paths)) plantNode(tree, path, { kind: 'include' });
  return applyProjection(tree, document, false);
}
