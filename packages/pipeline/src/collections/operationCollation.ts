/** By which collation an operation compares strings. Upstream: run_aggregate.cpp, resolveCollator, and its like elsewhere. */
import { BsonType, CommandError, encodeName, findField } from '@replsim/protocol';
import { type Collator, compileCollator, sameCollation } from '@replsim/query';
import type { ReadView } from '@replsim/storage';
import type { Fields } from '../fields/fields.ts';
import { bytesOf } from '../fields/values.ts';
import { timeseriesCollection } from '../timeseries/options.ts';
import { completeCollation } from './collation.ts';
import { viewDefinition } from './viewDefinitions.ts';

const COLLATION = encodeName('collation');

/** The collation of a collection with these options. */
export function collatorOf(options: Uint8Array): Collator | undefined {
  const collation = findField(options, COLLATION);
  return collation?.type === BsonType.object ? compileCollator(bytesOf(collation).slice()) : undefined;
}

/** The collation that a namespace has of its own: a collection's, or a view's. */
export function defaultCollator(view: ReadView, ns: string): Collator | undefined {
  const collection = view.collection(ns);
  if (collection) return collatorOf(collection.options);
  const collation = viewDefinition(view, ns)?.collation;
  return collation && compileCollator(collation);
}

/**
 * The collation that a command or statement asks for in `collation`, else that of the namespace; undefined for plain comparison.
 * Errors: those of `completeCollation`, OptionNotSupportedOnView 167 for another collation than a view has.
 * Simplification: buckets know the extremes of their measurements by code points, so a time series takes no collation.
 */
export function operationCollator(fields: Fields, data: ReadView, ns: string): Collator | undefined {
  const sent = fields.document('collation');
  if (sent === undefined || sent.length === 5) return defaultCollator(data, ns);
  const collation = completeCollation(sent);
  if (data.collection(ns)) return collation && compileCollator(collation);
  if (collation && timeseriesCollection(data, ns))
    throw new CommandError('CommandNotSupported', 'a collation on a time series is not supported by replsim yet');
  const view = viewDefinition(data, ns);
  if (view && !sameCollation(collation, view.collation)) {
    throw new CommandError('OptionNotSupportedOnView', 'the collation of a view cannot be overridden');
  }
  return collation && compileCollator(collation);
}
