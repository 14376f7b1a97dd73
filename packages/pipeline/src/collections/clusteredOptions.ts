import { BsonType, type BsonWriter, CommandError, type VersionTraits, writeJsValue } from '@replsim/protocol';
import { describeDocument } from '@replsim/storage';
import { collectionExpireAfterSeconds } from '@replsim/ttl';
import type { CommandArguments } from '../fields/arguments.ts';
import { Fields } from '../fields/fields.ts';
import { bytesOf, numberOf, truthOf, typeName } from '../fields/values.ts';
import { isBucketsName } from '../timeseries/options.ts';

/** Upstream: clustered_collection_options.idl, ClusteredIndexSpec. */
const specFields = new Set(['v', 'key', 'name', 'unique']);

/** `clusteredIndex` as the parser reads it. `legacy` is `true`, the form of time-series buckets; none is `false`. */
export type ClusteredRequest = { readonly legacy: true } | { readonly legacy: false; readonly spec: Fields };

/**
 * What `create` was asked to cluster by, its shape checked and nothing else; 3.2 passes over options that it does not know.
 * Errors: TypeMismatch 14, 40414 without `key` or `unique`, 40415 for unknown fields.
 */
export function clusteredRequest(args: CommandArguments, traits: VersionTraits): ClusteredRequest | undefined {
  const value = args.value('clusteredIndex');
  if (!value || !traits.clusteredCollections) return undefined;
  if (value.type === BsonType.bool) return truthOf(value) ? { legacy: true } : undefined;
  if (value.type !== BsonType.object) {
    const types = "expected types '[bool, object]'";
    throw new CommandError(
      'TypeMismatch',
      `BSON field 'create.clusteredIndex' is the wrong type '${typeName(value.type)}', ${types}`,
    );
  }
  const spec = new Fields(bytesOf(value), 'create.clusteredIndex');
  spec.allow(specFields);
  spec.requiredDocument('key');
  if (!spec.has('unique')) spec.missing('unique');
  spec.bool('unique');
  spec.string('name');
  return { legacy: false, spec };
}

/** Throws InvalidOptions 72 for `expireAfterSeconds` on what has no order of time. Upstream: create_command.cpp. */
export function checkMayExpire(args: CommandArguments, traits: VersionTraits): void {
  if (!args.has('expireAfterSeconds') || args.has('timeseries') || !traits.clusteredCollections) return;
  if (clusteredRequest(args, traits)) return;
  throw new CommandError(
    'InvalidOptions',
    "'expireAfterSeconds' is only supported on time-series collections or when the 'clusteredIndex' option is specified",
  );
}

/** A view is not clustered by anything (6026500), and time series cluster in a way of their own (72). */
export function checkKinds(args: CommandArguments, traits: VersionTraits): void {
  if (!clusteredRequest(args, traits)) return;
  if (args.has('viewOn')) throw new CommandError(6026500, "a view cannot have a 'clusteredIndex'");
  if (args.has('timeseries')) {
    throw new CommandError('InvalidOptions', "'clusteredIndex' and 'timeseries' exclude each other");
  }
}

/**
 * What does not go together with clustering. Upstream: clustered_collection_util.cpp, checkCreationOptions.
 * Errors: 6049200 and 6049204 for the limits of a capped collection, 6049201 for a capped one that does not expire.
 */
export function checkClusteredCapped(args: CommandArguments): void {
  for (const [name, code] of [['size', 6049200] as const, ['max', 6049204] as const]) {
    if (args.number(name) === undefined) continue;
    const hint = "'capped: true' goes with 'expireAfterSeconds' there";
    throw new CommandError(code, `a clustered collection has no '${name}'; ${hint}`);
  }
  if (args.bool('capped') && !args.has('expireAfterSeconds')) {
    throw new CommandError(6049201, "a clustered collection that is capped needs 'expireAfterSeconds'");
  }
}

/**
 * Checks what a collection is to be clustered by, in mongod's order, and writes `clusteredIndex` and
 * `expireAfterSeconds` as they are kept: the name filled in, the seconds an int64.
 * Errors: 5979703 for the legacy form, 6026501, 5979700, 5979704, InvalidIndexSpecificationOption 197 for another key than
 * `{ _id: 1 }`, InvalidOptions 72 for `idIndex` and for seconds out of bounds.
 * Upstream: create_collection.cpp, validateCollectionOptions, validateClusteredIndexSpec.
 */
export function writeClusteredOptions(
  args: CommandArguments,
  request: ClusteredRequest,
  wallMs: number,
  writer: BsonWriter,
): void {
  if (request.legacy || isBucketsName(args.collection)) {
    const form = "the legacy form 'clusteredIndex: <bool>'";
    throw new CommandError(5979703, `${form} is for internal collections alone, and they have no other`);
  }
  checkCompany(args);
  const { spec } = request;
  checkSpec(spec);
  const seconds = clusteredSeconds(args, wallMs);
  checkIndexVersion(spec);
  writer.beginDocument('clusteredIndex');
  writer.int32('v', 2);
  writeJsValue(writer, 'key', { _id: 1 });
  writer.string('name', spec.string('name') ?? '_id_');
  writer.bool('unique', true);
  writer.endDocument();
  if (seconds !== undefined) writer.int64('expireAfterSeconds', seconds);
}

/** The collection's own `expireAfterSeconds`. Errors: TypeMismatch 14, InvalidOptions 72. */
export function clusteredSeconds(args: CommandArguments, wallMs: number): number | undefined {
  const value = args.numeric('expireAfterSeconds');
  return value && (collectionExpireAfterSeconds(value, wallMs) as number);
}

function checkCompany(args: CommandArguments): void {
  const idIndex = args.document('idIndex');
  if (idIndex && idIndex.length > 5) {
    throw new CommandError('InvalidOptions', "'clusteredIndex' and 'idIndex' exclude each other");
  }
  if (args.has('autoIndexId') && !args.bool('autoIndexId', true)) {
    throw new CommandError(6026501, "'clusteredIndex' excludes {autoIndexId: false}");
  }
}

function checkSpec(spec: Fields): void {
  if (!spec.bool('unique')) {
    throw new CommandError(5979700, "'clusteredIndex' needs 'unique: true'");
  }
  const key = spec.requiredDocument('key');
  const fields = new Fields(key, 'key');
  const [path, ...others] = fields.names;
  if (path !== '_id' || others.length > 0 || numberOf(fields.presentValue(path)) !== 1) {
    throw new CommandError(
      'InvalidIndexSpecificationOption',
      `'clusteredIndex' is by key {_id: 1}, and not by ${describeDocument(key)}`,
    );
  }
}

function checkIndexVersion(spec: Fields): void {
  const v = spec.number('v') ?? 2;
  if (v === 2) return;
  throw new CommandError(
    5979704,
    `the clusteredIndex ${describeDocument(spec.bytes)} has v=${v}, where v=2 alone exists`,
  );
}
