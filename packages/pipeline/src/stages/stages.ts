import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  invariant,
  sayIfKnown,
  type VersionTraits,
} from '@replsim/protocol';
import { elementsOf, type Fields } from '../fields/fields.ts';
import { searchNotEnabled } from '../fields/searchNotEnabled.ts';
import { bytesOf } from '../fields/values.ts';
import { knowsStage } from '../since.ts';
import { STAGE_NAMES } from '../upstream/stageNames.ts';
import { documentValue } from './builtValues.ts';
import { type Place, type StageRule, stageRules } from './stageRules.ts';

/** One stage of a pipeline: `{ $name: spec }`. */
export interface Stage {
  readonly name: string;
  readonly spec: BsonValue;
}

/**
 * What the field `pipeline` of a command or a stage holds, if it is there. Errors: TypeMismatch 14, in words that drivers' own tests look for.
 * Upstream: aggregation_request_helper.h, parsePipelineFromBSON.
 */
export function pipelineIn(fields: Fields): readonly BsonValue[] | undefined {
  const value = fields.rawValue('pipeline');
  if (value && value.type !== BsonType.array) {
    throw new CommandError('TypeMismatch', "'pipeline' option must be specified as an array");
  }
  return value && elementsOf(value);
}

/** The stages of a pipeline, those of the pipelines inside them looked at too. Errors: those of `readStages` and `checkStages`. */
export function parseStages(pipeline: readonly BsonValue[], place: Place = 'top', depth = 0): Stage[] {
  const stages = readStages(pipeline);
  checkStages(stages, place, depth);
  return stages;
}

/**
 * The stages of a pipeline, wherever they stand. Errors: TypeMismatch 14, Location40323 for a stage without exactly one field,
 * Location40324 for an unknown one, Location7749501 for too many.
 */
export function readStages(pipeline: readonly BsonValue[]): Stage[] {
  const stages = pipeline.map((element) => {
    if (element.type !== BsonType.object) {
      throw new CommandError('TypeMismatch', "Each element of the 'pipeline' array must be an object");
    }
    return stageOf(bytesOf(element));
  });
  if (stages.length > MAX_STAGES)
    throw new CommandError(7749501, `Pipeline length must be no longer than ${MAX_STAGES} stages`);
  return stages;
}

/**
 * Errors: for a stage in the wrong place Location40600 ($facet), 40601 (not last), 40602 (not first), 51047 ($lookup), 31441 ($unionWith),
 * InvalidNamespace 73 (on a collection), OptionNotSupportedOnView 167. MaxSubPipelineDepthExceeded 232; those of the pipelines inside.
 * Upstream: pipeline.cpp, validateCommon; expression_context.h, copyForSubPipeline.
 * @param depth how many stages that read other collections they stand in
 */
export function checkStages(stages: readonly Stage[], place: Place = 'top', depth = 0): void {
  stages.forEach((stage, index) => {
    checkPlace(stage, place, index, stages);
    const reads = joins.has(stage.name);
    if (reads && depth >= MAX_DEPTH) throw tooDeep();
    for (const [inner, where] of pipelinesIn(stage)) parseStages(inner, where, reads ? depth + 1 : depth);
  });
}

/** Counts the stages of a pipeline that is run, those of the pipelines inside them too. Upstream: tickGlobalStageCounters. */
export function countStages(stages: readonly Stage[], counts: Map<string, number>): void {
  for (const stage of stages) {
    counts.set(stage.name, (counts.get(stage.name) ?? 0) + 1);
    for (const [inner, place] of pipelinesIn(stage)) countStages(parseStages(inner, place), counts);
  }
}

/** Stages that read another collection by a pipeline, if only an empty one; a `$facet` counts for none. */
const joins: ReadonlySet<string> = new Set(['$graphLookup', '$lookup', '$unionWith']);
/** Upstream: query_knobs.idl, internalMaxSubPipelineViewDepth. */
const MAX_DEPTH = 20;

/** Upstream: query_knobs.idl, internalPipelineLengthLimit. */
const MAX_STAGES = 1000;

function tooDeep(): CommandError {
  const errmsg = `Maximum number of nested sub-pipelines exceeded. Limit is ${MAX_DEPTH}`;
  return new CommandError('MaxSubPipelineDepthExceeded', errmsg);
}

/** The first stage that version 1 of the Stable API does not have. */
export function unstableStageIn(pipeline: readonly BsonValue[]): string | undefined {
  return firstStage(pipeline, (stage) => {
    const unstable = stageRules.get(stage.name)?.unstable;
    return unstable === true || (unstable === 'inPart' && hasUnstablePart(stage));
  });
}

/** Throws Location40324 for the first stage that came with a later release. */
export function checkStagesSince(pipeline: readonly BsonValue[], { maxWireVersion }: VersionTraits): void {
  const later = firstStage(pipeline, ({ name }) => !knowsStage(name, maxWireVersion));
  if (later !== undefined) throw new CommandError(40324, `Unrecognized pipeline stage name: '${later}'`);
}

/** The name of the first stage of a kind, however deep; a pipeline that is none has none. */
function firstStage(pipeline: readonly BsonValue[], isMeant: (stage: Stage) => boolean): string | undefined {
  for (const { type, bytes, offset } of pipeline) {
    const cursor = new ElementCursor(bytes, offset);
    if (type !== BsonType.object || !cursor.next()) continue;
    const stage = { name: cursor.name, spec: cursor.value() };
    if (isMeant(stage)) return stage.name;
    for (const [inner] of pipelinesIn(stage)) {
      const found = firstStage(inner, isMeant);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** `$collStats` counts documents for drivers; of `$changeStream` what shows more is not for those who want to be sure. */
function hasUnstablePart({ name, spec }: Stage): boolean {
  if (spec.type !== BsonType.object) return false;
  const cursor = new ElementCursor(spec.bytes, spec.offset);
  while (cursor.next())
    if (name === '$collStats' ? cursor.name !== 'count' : unstableInStreams.has(cursor.name)) return true;
  return false;
}

/** Upstream: document_source_change_stream.h, assertPermittedInAPIVersion. */
const unstableInStreams: ReadonlySet<string> = new Set([
  'showExpandedEvents',
  'showRawUpdateDescription',
  'showSystemEvents',
]);

/** The stages of a view, which are documents. Throws as `parseStages`. */
export function stagesOf(pipeline: readonly Uint8Array[], place: Place = 'top'): Stage[] {
  return parseStages(pipeline.map(documentValue), place);
}

/** The document that a stage such as `$match` takes. Location15959 for something else. */
export function documentOf({ name, spec }: Stage): Uint8Array {
  if (spec.type === BsonType.object) return bytesOf(spec);
  throw new CommandError(
    notADocument.get(name) ?? 15959,
    name === '$match' ? 'the match filter must be an expression in an object' : `${name} takes an object`,
  );
}

/** Whether it makes documents instead of taking them. */
export function isSource(stage: Stage): boolean {
  return ruleOf(stage).kind === 'source';
}

/** Whether it puts its documents into a collection. */
export function isWriteStage(stage: Stage): boolean {
  return ruleOf(stage).kind === 'write';
}

/** Whether `{ aggregate: 1 }` may begin with this stage. */
export function isCollectionless(stage: Stage): boolean {
  return ruleOf(stage).onDatabase !== undefined;
}

/** Whether it works on a database and on no collection. */
export function needsDatabase(stage: Stage): boolean {
  return ruleOf(stage).onDatabase === true;
}

/** Each stage has one, for it was looked up when the stage was parsed. */
function ruleOf({ name }: Stage): StageRule {
  const rule = stageRules.get(name);
  invariant(rule, 'a parsed stage is in the table of stages');
  return rule;
}

/** The pipelines that a stage contains, and what they stand in. */
function pipelinesIn({ name, spec }: Stage): [pipeline: readonly BsonValue[], place: Place][] {
  if (spec.type !== BsonType.object) return [];
  if (name === '$facet') {
    return elementsOf(spec)
      .filter(({ type }) => type === BsonType.array)
      .map((value) => [elementsOf(value), 'facet']);
  }
  if (name !== '$lookup' && name !== '$unionWith') return [];
  const inner = findField(spec.bytes, PIPELINE, spec.offset);
  return inner?.type === BsonType.array ? [[elementsOf(inner), name === '$lookup' ? 'lookup' : 'union']] : [];
}

const PIPELINE = encodeName('pipeline');

/** Codes for what is no object where one must be; the others have 15959. */
const notADocument: ReadonlyMap<string, number> = new Map([
  ['$sort', 15973],
  ['$project', 15969],
  ['$addFields', 40272],
  ['$set', 40272],
  ['$group', 15947],
  ['$bucket', 40201],
  ['$bucketAuto', 40240],
  ['$setWindowFields', 9],
  ['$fill', 9],
  ['$densify', 9],
  ['$replaceRoot', 40229],
  ['$lookup', 9],
  ['$graphLookup', 9],
  ['$facet', 40169],
  ['$sample', 28745],
  ['$collStats', 5447000],
  ['$currentOp', 14],
  ['$listSessions', 14],
  ['$listLocalSessions', 14],
]);

function stageOf(bytes: Uint8Array): Stage {
  const cursor = new ElementCursor(bytes);
  const stage = cursor.next() ? { name: cursor.name, spec: cursor.value() } : undefined;
  if (!stage || cursor.next()) {
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const { name } = stage;
  const rule = stageRules.get(name);
  if (!rule)
    throw new CommandError(40324, sayIfKnown(`Unrecognized pipeline stage name: '${name}'`, name, STAGE_NAMES));
  if (rule.kind === 'search') throw searchNotEnabled(`the ${name} aggregation stage`);
  return stage;
}

function checkPlace(stage: Stage, place: Place, index: number, all: readonly Stage[]): void {
  const { name } = stage;
  const { kind, notIn, behind, onDatabase } = ruleOf(stage);
  if (onDatabase === true && (place === 'lookup' || place === 'union') && notIn?.includes(place))
    throw new CommandError('InvalidNamespace', `${name} must be run against the database with {aggregate: 1}`);
  if (place !== 'top' && notIn?.includes(place)) throw misplaced(name, place, index);
  if ((kind === 'source' || kind === 'near') && index > 0) {
    throw new CommandError(40602, `${name} is only valid as the first stage in a pipeline`);
  }
  if (behind !== undefined && all[0]?.name !== behind) {
    throw new CommandError('IllegalOperation', `${name} can only be used in a pipeline that begins with ${behind}`);
  }
  if (kind === 'write' && index < all.length - 1 && all[0]?.name !== '$changeStream') {
    throw new CommandError(40601, `${name} can only be the final stage in the pipeline`);
  }
}

function misplaced(name: string, place: Exclude<Place, 'top'>, index: number): CommandError {
  switch (place) {
    case 'facet':
      return new CommandError(40600, `${name} is not allowed to be used within a $facet stage`);
    case 'lookup':
      return new CommandError(51047, `${name} is not allowed within a $lookup's sub-pipeline`);
    case 'union':
      return new CommandError(31441, `${name} is not allowed within a $unionWith's sub-pipeline`);
    case 'view':
      return new CommandError('OptionNotSupportedOnView', `a view cannot have ${name}, its stage ${index}`);
  }
}
