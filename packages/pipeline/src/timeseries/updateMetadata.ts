import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { Fields } from '../fields/fields.ts';
import { bytesOf } from '../fields/values.ts';
import { isMetaFilter, placeOf, renamedMetaFilter } from './bucketFilter.ts';
import type { TimeseriesOptions } from './options.ts';

/**
 * One entry of `updates` on a time series as one on its buckets: metadata may be changed by a filter on metadata, of all
 * that match, with operators. Errors: InvalidOptions 72 for everything else.
 * Upstream: timeseries_update_delete_util.cpp, translateUpdate.
 */
export function metadataUpdate(statement: Fields, options: TimeseriesOptions): Fields {
  if (options.metaField === undefined) throw refused('without a metaField');
  if (!statement.strictBool('multi')) throw refused('unless multi is true');
  if (statement.strictBool('upsert')) throw refused('as an upsert');
  const query = statement.requiredDocument('q');
  if (!isMetaFilter(query, options)) throw refused('by a query on anything but the metaField');
  const update = statement.value('u');
  if (update?.type !== BsonType.object) throw refused('with a pipeline');
  const writer = new BsonWriter(statement.bytes.length + 32);
  for (const name of statement.names) {
    if (name === 'q') writer.rawDocument('q', renamedMetaFilter(query, options));
    else if (name === 'u') writer.rawDocument('u', renamedUpdate(bytesOf(update), options));
    else writer.rawValue(name, statement.presentValue(name));
  }
  return new Fields(writer.finish(), statement.path);
}

function renamedUpdate(update: Uint8Array, options: TimeseriesOptions): Uint8Array {
  const writer = new BsonWriter(update.length + 32);
  const operators = new ElementCursor(update);
  while (operators.next()) {
    if (!operators.name.startsWith('$')) throw refused('with a replacement');
    if (operators.type !== BsonType.object) throw refused('with this operator');
    writer.beginDocument(operators.name);
    const fields = new ElementCursor(update, operators.offset);
    while (fields.next()) {
      const place = placeOf(fields.name, options);
      if (place.kind !== 'meta') throw refused('of anything but the metaField');
      if (operators.name === '$rename') writer.string(place.path, renamedTarget(fields, options));
      else writer.rawValue(place.path, fields);
    }
    writer.endDocument();
  }
  return writer.finish();
}

/** Metadata may get another name within the metadata alone. */
function renamedTarget(target: BsonValue, options: TimeseriesOptions): string {
  const place = target.type === BsonType.string ? placeOf(readString(target), options) : undefined;
  if (place?.kind !== 'meta') throw refused('that renames to anything but a field of the metaField');
  return place.path;
}

function refused(how: string): CommandError {
  return new CommandError('InvalidOptions', `a time series takes no update ${how}`);
}
