import { BsonWriter, CommandError } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { CommandArguments } from '../arguments.ts';
import { Fields } from '../fields.ts';

/** The limits of a capped collection, of which the oldest documents go when it exceeds them. */
export interface CappedLimits {
  readonly sizeBytes: number;
  readonly maxDocuments: number;
}

/** Undefined for a collection that is not capped. */
export function cappedLimits({ options }: Pick<CollectionView, 'options'>): CappedLimits | undefined {
  if (options.length === 5) return undefined;
  const fields = new Fields(options, 'options');
  if (!fields.bool('capped')) return undefined;
  return { sizeBytes: fields.number('size') ?? Infinity, maxDocuments: fields.number('max') || Infinity };
}

/** Options that a mongod takes and this program does not have; a default value of theirs passes. */
const unsupported = ['validator', 'encryptedFields', 'storageEngine', 'indexOptionDefaults', 'recordIdsReplicated'];

/**
 * Checks the options of `create` and gives those that are kept, as `listCollections` shows them.
 * Errors: InvalidOptions 72, CommandNotSupported 115 for what is not built: views, time-series, clustered collections,
 * validators, collations. Upstream: collection_options.cpp, CollectionOptions::parse; create_command.cpp.
 */
export function collectionOptions(args: CommandArguments): Uint8Array {
  checkKind(args);
  for (const name of unsupported)
    if (args.has(name) && !isEmpty(args, name)) throw notSupported(`the option '${name}'`);
  checkCollation(args.document('collation'));
  const writer = new BsonWriter();
  const capped = args.bool('capped');
  const size = args.number('size');
  const max = args.number('max');
  if (capped && size === undefined) {
    throw new CommandError('InvalidOptions', "the 'size' field is required when 'capped' is true");
  }
  if (!capped && (size !== undefined || max !== undefined)) {
    throw new CommandError(
      'InvalidOptions',
      "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
    );
  }
  if (capped) writeCapped(writer, size!, max);
  for (const name of ['validationLevel', 'validationAction'] as const) {
    const value = args.string(name);
    if (value !== undefined) writer.string(name, value);
  }
  return writer.finish();
}

/** Throws CommandNotSupported 115 for a collation that is not plain comparison. */
export function checkCollation(collation: Uint8Array | undefined): void {
  if (!collation || collation.length === 5) return;
  if (new Fields(collation, 'collation').requiredString('locale') !== 'simple') throw notSupported('a collation');
}

export function notSupported(what: string): CommandError {
  return new CommandError('CommandNotSupported', `${what} is not supported by replsim yet`);
}

function checkKind(args: CommandArguments): void {
  const isView = args.has('viewOn') || args.has('pipeline');
  const isTimeseries = args.has('timeseries');
  // `clusteredIndex: false` is the same as none.
  const isClustered = args.document('clusteredIndex') !== undefined;
  if (args.has('expireAfterSeconds') && !isTimeseries && !isClustered) {
    throw new CommandError(
      'InvalidOptions',
      "'expireAfterSeconds' is only supported on time-series collections or when the 'clusteredIndex' option is specified",
    );
  }
  if (isView) throw notSupported('a view');
  if (isTimeseries) throw notSupported('a time-series collection');
  if (isClustered) throw notSupported('a clustered collection');
}

function writeCapped(writer: BsonWriter, size: number, max: number | undefined): void {
  if (size < 1) throw new CommandError(51024, `BSON field 'size' value must be >= 1, actual value '${size}'`);
  writer.bool('capped', true);
  // Upstream rounds up to a multiple of 256.
  writer.any('size', Math.ceil(size / 256) * 256);
  if (max !== undefined && max > 0) writer.any('max', max);
}

function isEmpty(args: CommandArguments, name: string): boolean {
  return args.document(name)?.length === 5;
}
