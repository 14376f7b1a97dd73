import {
  type BsonValue,
  BsonWriter,
  ElementCursor,
  encodeName,
  findField,
  type RawBson,
  writeJsValue,
} from '@replsim/protocol';
import { changedGranularity, type GranularityChange } from '../timeseries/granularityChange.ts';
import { timeseriesOptions, writeTimeseriesOptions } from '../timeseries/options.ts';
import { cappedMaxOf } from './cappedOptions.ts';

/** What collMod changes of a collection's own options. */
export interface CollectionChanges {
  /** Unit: seconds; `off` takes the option away. */
  readonly expireAfterSeconds?: number | 'off';
  /** Unit: bytes. */
  readonly cappedSize?: number;
  /** Documents; no limit for 0 and below. */
  readonly cappedMax?: number;
  readonly timeseries?: GranularityChange;
  /** The whole filter; an empty one takes it away. */
  readonly validator?: RawBson;
  readonly validationLevel?: string;
  readonly validationAction?: string;
  /** Whether images are kept for change streams. */
  readonly changeStreamPreAndPostImages?: { readonly enabled: boolean };
  /** MMAPv1: room in powers of two. */
  readonly usePowerOf2Sizes?: boolean;
}

/** How documents are judged where nobody says how. */
const VALIDATION = [
  ['validationLevel', 'strict'],
  ['validationAction', 'error'],
] as const;

/** The options with changes made where they stand, or at the end. Upstream: coll_mod.cpp, _collModInternal. */
export function changedOptions(options: Uint8Array, changes: CollectionChanges): Uint8Array {
  const { expireAfterSeconds, cappedSize, cappedMax, timeseries, usePowerOf2Sizes } = changes;
  const put = new Map<string, number | string | RawBson | { readonly enabled: boolean } | undefined>();
  if (cappedSize !== undefined) put.set('size', cappedSize);
  if (cappedMax !== undefined) put.set('max', cappedMaxOf(cappedMax));
  if (usePowerOf2Sizes !== undefined) put.set('flags', usePowerOf2Sizes ? 1 : 0);
  if (expireAfterSeconds !== undefined) {
    put.set('expireAfterSeconds', expireAfterSeconds === 'off' ? undefined : expireAfterSeconds);
  }
  const { validator, changeStreamPreAndPostImages: images } = changes;
  if (images) put.set('changeStreamPreAndPostImages', images.enabled ? images : undefined);
  if (validator) put.set('validator', validator.bytes.length > 5 ? validator : undefined);
  const validates = validator ?? changes.validationLevel ?? changes.validationAction;
  for (const [name, plain] of validates ? VALIDATION : []) {
    // Whatever is said of validation, its level and action are kept too. Upstream: collection_impl.cpp, setValidator and the like.
    if (changes[name] !== undefined || !findField(options, encodeName(name))) put.set(name, changes[name] ?? plain);
  }
  const writer = new BsonWriter();
  const write = (name: string) => {
    const value = put.get(name);
    // Seconds are kept as an int64, limits as the number that fits them.
    if (typeof value === 'number' && name === 'expireAfterSeconds') writer.int64(name, value);
    else if (value !== undefined) writeJsValue(writer, name, value);
    put.delete(name);
  };
  const cursor = new ElementCursor(options);
  while (cursor.next()) {
    if (put.has(cursor.name)) write(cursor.name);
    else if (cursor.name === 'timeseries' && timeseries) {
      writeTimeseriesOptions(writer, changedGranularity(timeseriesOptions({ options })!, timeseries));
    } else writer.rawValue(cursor.name, cursor);
  }
  for (const name of [...put.keys()]) write(name);
  return writer.finish();
}

const EXPIRE_AFTER_SECONDS = encodeName('expireAfterSeconds');

/** The collection's own option, an int64; undefined where nothing expires by the collection itself. */
export function collectionSeconds(options: Uint8Array): BsonValue | undefined {
  return findField(options, EXPIRE_AFTER_SECONDS);
}
