/** The stage `$geoNear`: what is near, with its distance. Upstream: document_source_geo_near.cpp. */
import {
  bytesOf,
  documentOf,
  EMPTY_DOCUMENT,
  isNumeric,
  newValue,
  numberOf,
  type PipelineWorld,
  placeAt,
  type Stage,
  truthOf,
  typeName,
} from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  readString,
  required,
  type VersionTraits,
} from '@replsim/protocol';
import { checkFieldPath, compileExpression } from '@replsim/query';
import type { CollectionView } from '@replsim/storage';
import { nearnessOf } from './nearness.ts';
import { type CompiledFilter, compile, compileQuery } from './query.ts';

/** The query that a stage stands for, and what it adds to the documents that are found. */
export interface GeoNear {
  readonly filter: CompiledFilter;
  readonly withDistance: (document: Uint8Array) => Uint8Array;
}

/** What a stage says, before a collection says which field it means. */
interface GeoNearSpec {
  readonly near: BsonValue;
  readonly minDistance: number | undefined;
  readonly maxDistance: number | undefined;
  readonly spherical: boolean;
  readonly multiplier: number;
  readonly query: Uint8Array;
  readonly distanceField: string | undefined;
  readonly includeLocs: string | undefined;
  readonly key: string | undefined;
}

/**
 * Reads the stage for a collection. Errors: Location5860400 without `near`, 5860401 and 5860402 for one that is no constant point,
 * 7555701 and 7555702 for distances that are not constant, 16606, 16607, 40227, 50856 to 50858, TypeMismatch 14, BadValue 2, IndexNotFound 27 where `key` is missing and the indexes do not
 * say which field is meant, those of filters.
 */
export function geoNearOf(
  stage: Stage,
  collection: CollectionView,
  world: PipelineWorld,
  traits: VersionTraits,
): GeoNear {
  const spec = specOf(stage, world, traits);
  const filter = compileQuery(
    queryOf(spec, spec.key ?? keyOf(collection)),
    world.filterVariables,
    world.collator,
    undefined,
  );
  return { filter, withDistance: distanceAdder(spec, filter) };
}

/** Checks the stage where there is no collection that it could look into. Errors: as `geoNearOf`. */
export function checkGeoNear(stage: Stage, world: PipelineWorld, traits: VersionTraits): void {
  const spec = specOf(stage, world, traits);
  compileQuery(queryOf(spec, spec.key ?? 'key'), world.filterVariables, world.collator, undefined);
}

const goneOptions: ReadonlyMap<string, readonly [code: number, errmsg: string]> = new Map([
  ['collation', [40227, "$geoNear does not accept the 'collation' parameter: the whole aggregation has one"]],
  ['limit', [50858, "$geoNear no longer supports the 'limit' parameter. Use a $limit stage instead."]],
  ['num', [50857, "$geoNear no longer supports the 'num' parameter. Use a $limit stage instead."]],
  ['start', [50856, "$geoNear no longer supports the 'start' argument."]],
]);

function specOf(stage: Stage, world: PipelineWorld, traits: VersionTraits): GeoNearSpec {
  const options = new Map<string, BsonValue>();
  const cursor = new ElementCursor(documentOf(stage));
  while (cursor.next()) options.set(cursor.name, cursor.value());
  for (const [name, [code, errmsg]] of goneOptions) if (options.has(name)) throw new CommandError(code, errmsg);
  const unknown = [...options.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new CommandError('BadValue', `Unknown argument to $geoNear: ${unknown}`);
  const near = options.get('near');
  if (!near) throw new CommandError(5860400, "$geoNear requires a 'near' argument");
  if (!options.has('distanceField') && !traits.distanceFieldOptional)
    throw new CommandError(16606, "$geoNear requires a 'distanceField' option as a String");
  const query = options.get('query');
  if (query && query.type !== BsonType.object) throw new CommandError('TypeMismatch', 'query must be an object');
  const queryBytes = query ? bytesOf(query) : EMPTY_DOCUMENT;
  // It is no place for another point to be near to.
  compile(queryBytes, world.filterVariables, world.collator);
  const spherical = options.get('spherical');
  return {
    near: pointOf(near, world),
    minDistance: distanceOf(options, 'minDistance', 7555701, world),
    maxDistance: distanceOf(options, 'maxDistance', 7555702, world),
    spherical: spherical !== undefined && truthOf(spherical),
    multiplier: multiplierOf(options.get('distanceMultiplier')),
    query: queryBytes,
    distanceField: pathOf(options.get('distanceField'), 16606, 'distanceField'),
    includeLocs: pathOf(options.get('includeLocs'), 16607, 'includeLocs'),
    key: givenKey(options.get('key')),
  };
}

// `uniqueDocs` means nothing since 2.6, to mongod neither.
// biome-ignore format: a list
const known: ReadonlySet<string> = new Set(['near', 'distanceField', 'maxDistance', 'minDistance', 'distanceMultiplier', 'query',
  'spherical', 'includeLocs', 'uniqueDocs', 'key']);

function pointOf(operand: BsonValue, world: PipelineWorld): BsonValue {
  const near = compileExpression(operand, world.filterVariables, world.collator)(EMPTY_DOCUMENT);
  if (!near) throw new CommandError(5860402, '$geoNear requires a constant near argument');
  if (near.type === BsonType.object || near.type === BsonType.array) return near;
  throw new CommandError(5860401, '$geoNear requires near argument to be a GeoJSON object or a legacy point(array)');
}

function distanceOf(
  options: ReadonlyMap<string, BsonValue>,
  name: string,
  notConstant: number,
  world: PipelineWorld,
): number | undefined {
  const operand = options.get(name);
  if (!operand) return undefined;
  const value = compileExpression(operand, world.filterVariables, world.collator)(EMPTY_DOCUMENT);
  if (!value) throw new CommandError(notConstant, `$geoNear requires a constant ${name}`);
  if (!isNumeric(value.type)) {
    throw new CommandError('TypeMismatch', `$geoNear requires $${name} to evaluate to a number`);
  }
  const distance = numberOf(value);
  if (!(distance >= 0)) throw new CommandError('BadValue', `${name} must be nonnegative`);
  return distance;
}

function multiplierOf(value: BsonValue | undefined): number {
  if (!value) return 1;
  if (!isNumeric(value.type)) throw new CommandError('TypeMismatch', 'distanceMultiplier must be a number');
  const multiplier = numberOf(value);
  if (!(multiplier >= 0)) throw new CommandError('BadValue', 'distanceMultiplier must be nonnegative');
  return multiplier;
}

function pathOf(value: BsonValue | undefined, code: number, name: string): string | undefined {
  if (!value) return undefined;
  if (value.type !== BsonType.string)
    throw new CommandError(code, `$geoNear requires that the '${name}' option is a String`);
  const path = readString(value);
  checkFieldPath(path);
  return path;
}

function givenKey(value: BsonValue | undefined): string | undefined {
  if (!value) return undefined;
  if (value.type !== BsonType.string) {
    const errmsg = `$geoNear parameter 'key' must be of type string but found type: ${typeName(value.type)}`;
    throw new CommandError('TypeMismatch', errmsg);
  }
  const key = readString(value);
  if (key === '') throw new CommandError('BadValue', "$geoNear parameter 'key' cannot be the empty string");
  // It becomes a field of a filter, where such a name means something else.
  if (key.startsWith('$'))
    throw new CommandError(
      16410,
      `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
    );
  return key;
}

/** The one field that is meant: that of the only 2d index, else of the only 2dsphere index. Upstream: pipeline_d.cpp, extractGeoNearFieldFromIndexes. */
function keyOf({ ns, indexes }: CollectionView): string {
  for (const plugin of ['2d', '2dsphere'] as const) {
    const [found, ...more] = indexes.filter(({ spec }) => spec.kind === plugin);
    if (more.length > 0) {
      const errmsg = `There is more than one ${plugin} index on ${ns}; unsure which to use for $geoNear`;
      throw new CommandError('IndexNotFound', errmsg);
    }
    const part = found?.spec.parts.find((each) => each.plugin === plugin);
    if (part) return part.path;
  }
  throw new CommandError('IndexNotFound', '$geoNear requires a 2d or 2dsphere index, but none were found');
}

function queryOf({ near, minDistance, maxDistance, spherical, query }: GeoNearSpec, key: string): Uint8Array {
  const writer = new BsonWriter(query.length + near.size + 64);
  writer.rawElements(query, 4, query.length - 1);
  writer.beginDocument(key);
  writer.rawValue(spherical ? '$nearSphere' : '$near', near);
  if (minDistance !== undefined) writer.double('$minDistance', minDistance);
  if (maxDistance !== undefined) writer.double('$maxDistance', maxDistance);
  writer.endDocument();
  return writer.finish();
}

/** Puts the distance, and where it was measured, into a document. */
function distanceAdder(
  { multiplier, distanceField, includeLocs }: GeoNearSpec,
  filter: CompiledFilter,
): GeoNear['withDistance'] {
  const nearness = required(nearnessOf(filter), 'search of $geoNear');
  return (document) => {
    const located = nearness.of(document);
    if (!located) return document;
    const { distance, location } = located;
    const shown = newValue((writer, name) => writer.double(name, distance * multiplier));
    const measured = distanceField === undefined ? document : placeAt(document, distanceField, shown);
    return includeLocs === undefined ? measured : placeAt(measured, includeLocs, location);
  };
}
