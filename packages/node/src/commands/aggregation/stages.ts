import { BsonType, type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import { bytesOf } from '../values.ts';

/** One stage of a pipeline: `{ $name: spec }`. */
export interface Stage {
  readonly name: string;
  readonly spec: BsonValue;
}

/** What the view of a time-series collection consists of. */
export const UNPACK = '$_internalUnpackBucket';

/** Stages that mingo carries out on promoted copies of the documents. */
const byMingo: ReadonlySet<string> = new Set([
  '$addFields',
  '$bucket',
  '$bucketAuto',
  '$densify',
  '$facet',
  '$fill',
  '$graphLookup',
  '$group',
  '$lookup',
  '$project',
  '$redact',
  '$replaceRoot',
  '$replaceWith',
  '$set',
  '$setWindowFields',
  '$sortByCount',
  '$unionWith',
  '$unset',
  '$unwind',
]);
/** Stages of our own. */
const own: ReadonlySet<string> = new Set(['$count', '$limit', '$match', '$sample', '$skip', '$sort', UNPACK]);
/** Stages that make documents instead of taking them; they can only be first. */
const sources: ReadonlySet<string> = new Set(['$collStats', '$currentOp', '$indexStats', '$listCatalog']);
/** Those of them that need no collection. */
const collectionless: ReadonlySet<string> = new Set(['$currentOp', '$listCatalog']);
/** Stages of mongod that this program does not have. */
const unsupported: ReadonlySet<string> = new Set([
  '$changeStream',
  '$documents',
  '$geoNear',
  '$listLocalSessions',
  '$listSessions',
  '$merge',
  '$out',
  '$planCacheStats',
  '$search',
]);

/**
 * The stages of a pipeline. Errors: TypeMismatch 14, Location40323 for a stage without exactly one field, Location40324
 * for an unknown one, Location40602 for a source that is not first, CommandNotSupported 115. Upstream: pipeline.cpp.
 */
export function parseStages(pipeline: readonly BsonValue[]): Stage[] {
  return pipeline.map((element, index) => {
    if (element.type !== BsonType.object) {
      throw new CommandError('TypeMismatch', "Each element of the 'pipeline' array must be an object");
    }
    const stage = stageOf(bytesOf(element));
    if (sources.has(stage.name) && index > 0) {
      throw new CommandError(40602, `${stage.name} can only begin a pipeline`);
    }
    return stage;
  });
}

/** The stages of a view, which are documents. Throws as `parseStages`. */
export function stagesOf(pipeline: readonly Uint8Array[]): Stage[] {
  return parseStages(pipeline.map((bytes) => ({ type: BsonType.object, bytes, offset: 0, size: bytes.length })));
}

/** The document that a stage such as `$match` takes. Location15959 for something else. */
export function documentOf({ name, spec }: Stage): Uint8Array {
  if (spec.type === BsonType.object) return bytesOf(spec);
  throw new CommandError(name === '$sort' ? 15973 : 15959, `${name} takes an object`);
}

export function isSource({ name }: Stage): boolean {
  return sources.has(name);
}

/** Whether `{ aggregate: 1 }` may begin with this stage. */
export function isCollectionless({ name }: Stage): boolean {
  return collectionless.has(name);
}

export function isByMingo({ name }: Stage): boolean {
  return byMingo.has(name);
}

function stageOf(bytes: Uint8Array): Stage {
  const cursor = new ElementCursor(bytes);
  const stage = cursor.next() ? { name: cursor.name, spec: cursor.value() } : undefined;
  if (!stage || cursor.next()) {
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const { name } = stage;
  if (unsupported.has(name)) throw new CommandError('CommandNotSupported', `${name} is not supported by replsim yet`);
  if (!byMingo.has(name) && !own.has(name) && !sources.has(name)) {
    throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
  return stage;
}
