import { type CommandArguments, elementsOf, unstableStageIn } from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { API_VERSIONS, type CommandDescription } from '../definition.ts';

/**
 * Looks at `apiVersion`, `apiStrict` and `apiDeprecationErrors`: at the command, the stages of its pipeline, and its fields.
 * Errors: TypeMismatch 14, Location4886600 without a version, APIVersionError 322, APIStrictError 323, APIDeprecationError 324.
 * Upstream: validate_api_parameters.cpp; lite_parsed_pipeline.cpp, validatePipelineStagesforAPIVersion; idl_parser.cpp,
 * throwAPIStrictErrorIfApplicable.
 * @param accepts2 whether there is the second version, which is for tests: the parameter `acceptApiVersion2`
 */
export function checkApiParameters(args: CommandArguments, { name, api }: CommandDescription, accepts2: boolean): void {
  const version = args.string('apiVersion');
  const strict = args.strictBool('apiStrict');
  const deprecationErrors = args.strictBool('apiDeprecationErrors');
  if (version === undefined) {
    if (strict === undefined && deprecationErrors === undefined) return;
    throw new CommandError(4886600, 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion');
  }
  if (version === '2' && !accepts2) throw new CommandError('APIVersionError', 'Cannot accept API version 2');
  if (version !== '1' && version !== '2') throw new CommandError('APIVersionError', 'API version must be "1"');
  const { has, deprecates }: (typeof API_VERSIONS)[keyof typeof API_VERSIONS] = API_VERSIONS[api];
  if (strict && !isAmong(has, version)) {
    throw refused(`Provided apiStrict:true, but the command ${name} is not in API Version ${version}`);
  }
  if (strict && version === '1') {
    checkStages(args);
    checkFields(args);
  }
  if (deprecationErrors && isAmong(deprecates, version)) {
    throw new CommandError(
      'APIDeprecationError',
      `Provided apiDeprecationErrors:true, but the command ${name} is deprecated in API Version ${version}`,
    );
  }
}

function isAmong(versions: readonly string[], version: string): boolean {
  return versions.includes(version);
}

function refused(reason: string): CommandError {
  return new CommandError('APIStrictError', reason);
}

/** Fields that may change their meaning. Source: the manual, "Stable API"; the IDL files, `stability: unstable`. */
const unstableFields: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'find',
    [
      'min',
      'max',
      'returnKey',
      'showRecordId',
      'tailable',
      'oplogReplay',
      'noCursorTimeout',
      'awaitData',
      'collectionUUID',
      'readOnce',
      '$_requestResumeToken',
      '$_resumeAfter',
      '$_startAt',
    ],
  ],
  ['create', ['capped', 'autoIndexId', 'size', 'max', 'storageEngine', 'indexOptionDefaults']],
]);
const unstableIndexFields = ['background', 'bucketSize', 'sparse', 'storageEngine'];

function checkFields(args: CommandArguments): void {
  for (const name of unstableFields.get(args.name) ?? []) if (args.value(name)) throw unstable(`${args.name}.${name}`);
  if (args.name !== 'createIndexes') return;
  for (const spec of args.documents('indexes') ?? []) {
    const cursor = new ElementCursor(spec);
    while (cursor.next()) {
      if (unstableIndexFields.includes(cursor.name)) throw unstable(`createIndexes.indexes.${cursor.name}`);
      if (cursor.name === 'key' && hasText(cursor))
        throw refused('text indexes cannot be created with apiStrict: true');
    }
  }
}

/** Upstream: index_key_validate.cpp, validateIndexSpec. */
function hasText({ type, bytes, offset }: BsonValue): boolean {
  const key = new ElementCursor(bytes, offset);
  while (type === BsonType.object && key.next()) {
    if (key.type === BsonType.string && readString(key) === 'text') return true;
  }
  return false;
}

function unstable(field: string): CommandError {
  return refused(`BSON field '${field}' is not allowed with apiStrict:true.`);
}

/** Those of an aggregation, and of a view that is made or changed. */
function checkStages(args: CommandArguments): void {
  const pipeline = args.value('pipeline');
  const stage = pipeline?.type === BsonType.array ? unstableStageOf(pipeline) : undefined;
  if (stage === undefined) return;
  // It counts documents for drivers, and may do nothing else for those who want to be sure.
  if (stage === '$collStats') throw refused("only the 'count' option to $collStats is supported in API Version 1");
  if (stage === '$changeStream')
    throw refused('parameters of $changeStream that show more events or fields are not supported in API Version 1');
  throw refused(`${stage} is not allowed with 'apiStrict: true' in API Version 1`);
}

function unstableStageOf(pipeline: BsonValue): string | undefined {
  return unstableStageIn(elementsOf(pipeline));
}
