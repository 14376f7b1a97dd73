import { type BsonWriter, CommandError, writeJsValue } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { CommandArguments } from '../fields/arguments.ts';
import { Fields } from '../fields/fields.ts';

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

/** Checks `capped`, `size` and `max` of `create`, and writes those that are kept. Errors: InvalidOptions 72, 51024. */
export function writeCappedOptions(args: CommandArguments, writer: BsonWriter): void {
  const capped = args.bool('capped');
  const size = args.number('size');
  const max = args.number('max');
  if (capped) {
    if (size === undefined)
      throw new CommandError('InvalidOptions', "the 'size' field is required when 'capped' is true");
    writeCapped(writer, size, max);
  } else if (size !== undefined || max !== undefined) {
    throw new CommandError(
      'InvalidOptions',
      "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
    );
  }
}

/** Throws 51024 for a size below one byte. */
export function checkCappedSize(name: string, size: number): void {
  if (size < 1) throw new CommandError(51024, `BSON field '${name}' value must be >= 1, actual value '${size}'`);
}

/** Rounded up as mongod does. Upstream: collection_options.cpp, adjustCappedSize. */
export function cappedSizeOf(size: number): number {
  return Math.ceil(size / 256) * 256;
}

function writeCapped(writer: BsonWriter, size: number, max: number | undefined): void {
  checkCappedSize('size', size);
  writer.bool('capped', true);
  writeJsValue(writer, 'size', cappedSizeOf(size));
  if (max !== undefined && max > 0) writeJsValue(writer, 'max', max);
}
