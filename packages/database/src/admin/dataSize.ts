import { on } from '@replsim/access';
import { type Operation, spend } from '@replsim/operations';
import {
  type CommandArguments,
  checkCollectionName,
  checkNotView,
  fieldSet,
  type Reply,
  splitNs,
} from '@replsim/pipeline';
import { type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import { type CollectionView, encodeCompoundKey, type IndexBounds, type IndexView, ITSELF } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { MemberFacts } from '../member.ts';

const fields = fieldSet('dataSize', 'keyPattern', 'min', 'max', 'estimate', 'maxSize', 'maxObjects');

/**
 * `{ dataSize: "db.c", keyPattern?, min?, max?, estimate?, maxSize?, maxObjects? }` → `{ estimate, size, numObjects, millis, maxReached? }`: the bytes of a
 * collection's documents, or of those whose keys are from `min` on and below `max`. With `estimate` documents of a range are
 * taken to be of average size. It ends with the document that goes beyond `maxSize` bytes or `maxObjects`.
 * Errors: InvalidNamespace 73, BadValue 2 for one limit alone, NamespaceNotFound 26 for limits of what is not there,
 * IndexNotFound 27 for an index that is not there. Upstream: dbcommands.cpp, CmdDatasize.
 */
export const dataSize: CommandDefinition = {
  name: 'dataSize',
  help: 'shows how many bytes a collection, or a range of an index, holds',
  auth: ({ args }) => on(args.requiredString('dataSize'), 'find'),
  api: 'none',
  kind: 'other',
  secondaries: 'optIn',
  maintenanceOk: false,
  run,
};

function* run({ args, data, member }: CommandContext<MemberFacts>): Operation<Reply> {
  args.allow(fields);
  const ns = args.requiredString('dataSize');
  checkCollectionName(...splitNs(ns));
  const limits = limitsOf(args);
  checkNotView(data, ns);
  const collection = data.collection(ns);
  const estimate = args.bool('estimate');
  if (!collection) return { estimate, size: 0, numObjects: 0, millis: 0 };
  const most = { size: args.count('maxSize') || Infinity, numObjects: args.count('maxObjects') || Infinity };
  const isWhole = estimate || (most.size === Infinity && most.numObjects === Infinity);
  if (!limits && isWhole) return { estimate, size: collection.dataSize, numObjects: collection.count, millis: 0 };
  const startedMicros = member.now.monotonicMicros;
  const sizes = limits ? sizesWithin(collection, limits, estimate) : sizesOfAll(collection);
  const measured = measure(sizes, most);
  yield* spend(measured.numObjects * member.costs.scanKeyMicros);
  const millis = Math.floor((member.now.monotonicMicros - startedMicros) / 1000);
  return { estimate, ...measured, millis };
}

interface Limits {
  readonly min: Uint8Array;
  readonly max: Uint8Array;
  readonly keyPattern: Uint8Array | undefined;
}

function limitsOf(args: CommandArguments): Limits | undefined {
  const keyPattern = args.document('keyPattern');
  const min = args.document('min');
  const max = args.document('max');
  if (!min && !max) return undefined;
  if (!min || !max) throw new CommandError('BadValue', 'min and max go together');
  return { min, max, keyPattern };
}

/** The index of just these fields: those of `keyPattern`, else those of `min`. */
function indexFor(collection: CollectionView, { min, keyPattern }: Limits): IndexView {
  const names = fieldsOf(keyPattern ?? min).map(({ name }) => name);
  const found = collection.indexes.find(
    ({ spec }) => spec.parts.length >= names.length && names.every((name, i) => spec.parts[i]?.path === name),
  );
  if (!found) throw new CommandError('IndexNotFound', 'no index has just these fields');
  return found;
}

/** The values of both limits; the order of the fields is the index's. */
function boundsOf({ min, max }: Limits): {
  readonly lower: readonly BsonValue[];
  readonly upper: readonly BsonValue[];
} {
  return { lower: fieldsOf(min).map(({ value }) => value), upper: fieldsOf(max).map(({ value }) => value) };
}

function fieldsOf(document: Uint8Array): { readonly name: string; readonly value: BsonValue }[] {
  const fields: { readonly name: string; readonly value: BsonValue }[] = [];
  const cursor = new ElementCursor(document);
  while (cursor.next()) fields.push({ name: cursor.name, value: cursor.value() });
  return fields;
}

interface Measured {
  readonly size: number;
  readonly numObjects: number;
}

function measure(sizes: Iterable<number>, most: Measured): Measured & { readonly maxReached?: true } {
  let size = 0;
  let numObjects = 0;
  for (const each of sizes) {
    size += each;
    numObjects += 1;
    if (size > most.size || numObjects > most.numObjects) {
      return { size: Math.floor(size), numObjects, maxReached: true };
    }
  }
  return { size: Math.floor(size), numObjects };
}

function* sizesOfAll(collection: CollectionView): Generator<number> {
  for (const records = collection.records(); records.next(); ) yield records.document.bytes.length;
}

function* sizesWithin(collection: CollectionView, limits: Limits, estimate: boolean): Generator<number> {
  const index = indexFor(collection, limits);
  const { lower, upper } = boundsOf(limits);
  const descending = index.spec.parts.map((part) => part.descending);
  const textOf = index.spec.collator && ITSELF;
  const bounds: IndexBounds = {
    lower: encodeCompoundKey(lower, descending, textOf),
    upper: encodeCompoundKey(upper, descending, textOf),
    upperInclusive: false,
  };
  const average = collection.count === 0 ? 0 : collection.dataSize / collection.count;
  for (const entries = index.range(bounds); entries.next(); ) {
    yield estimate ? average : collection.get(entries.recordId)!.bytes.length;
  }
}
