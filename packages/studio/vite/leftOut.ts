import { RARE_CONTROLS, RARE_OPERATORS } from '../../scenario/src/schema/rare.ts';

// What hardly a scenario needs, and is half as much as all that plays the others. Who asks for it gets the whole: see `asksForRare`.

/** A file and its replacement, which exports the same names but refuses to be used. */
export interface LeftOut {
  /** Below `packages`. */
  readonly file: string;
  readonly instead: string;
}

/** How whoever asks is refused, as `refuse`. */
export const refusing = (what: string) => `import { CommandError } from '@replsim/protocol';
const refuse = () => {
  globalThis.replsimLacked = true;
  throw new CommandError('CommandNotSupported', 'this page knows nothing of ${what}, which was asked for in a way that it did not see: play it with \`replsim run FILE\` or \`replsim studio FILE\`');
};`;

/** @param kept is there as it was @param refused are the other names */
function without(file: string, what: string, refused: readonly string[], kept = ''): LeftOut {
  const names = refused.map((name) => `refuse as ${name}`).join(', ');
  return { file, instead: `${refusing(what)}\n${kept}\nexport { ${names} };` };
}

type Table = keyof typeof OPERATORS;
const OPERATORS = { ...RARE_OPERATORS, ...RARE_CONTROLS };

/** A file of operators of expressions. They are known, so that a call of one is checked as ever before it is refused. */
function withoutOperators(
  file: string,
  what: string,
  tables: readonly Table[],
  refused: readonly string[] = [],
): LeftOut {
  const kept = tables.map((table) => {
    const each = table in RARE_CONTROLS ? 'refuse' : '{ positional: refuse }';
    return `export const ${table} = { ${OPERATORS[table].map((name) => `${name}: ${each}`).join(', ')} };`;
  });
  return without(`query/src/expressions/${file}`, what, refused, kept.join('\n'));
}

const TIME_SERIES = 'time series';
/** Lists of what MongoDB has by name and replsim has not: they are looked into where a name is unknown, for the words of the error. */
function withoutNames(file: string, instead: string): LeftOut {
  return { file: `pipeline/src/upstream/${file}`, instead: `${UNKNOWN}\n${instead}` };
}

const UNKNOWN = `const unknown = () => {
  globalThis.replsimLacked = true;
  return undefined;
};
const NAMES = { has: () => unknown() !== undefined, ownerOf: unknown };`;

const PATTERNS = 'patterns';
const PLACES = 'places';
const WORDS = 'searches by words';
const COLLATIONS = 'collations';
const SOME_STAGES = 'this stage of a pipeline';
const EXPLAIN = 'explain';
const STREAMS = 'change streams';
const ACCESS = 'access control';

/** Where nobody logs in and everybody may do everything. */
const NOBODY = `export class UserAccess {
  isEnabled = false;
  secret = new Uint8Array(32);
  keys = [];
  constructor({ core: { options } }) {
    if (options.authorization || options.access?.keys?.length > 0) refuse();
  }
  logIn() {
    return refuse();
  }
  userOf() {
    return undefined;
  }
  privilegesOf() {
    return [];
  }
  isExcepted() {
    return false;
  }
}`;

/** What `$clusterTime` has where nobody signs it. */
const UNSIGNED = `import { Binary, Long } from 'bson';
export const NO_SIGNATURE = { hash: new Binary(new Uint8Array(20)), keyId: Long.ZERO };
export class TimeProofs {
  sign() {
    return refuse();
  }
  check() {
    refuse();
  }
}`;

/** In no page: nobody logs in to it, and the tables would be larger than the simulator. */
export const IN_NO_PAGE: readonly LeftOut[] = [
  {
    file: 'access/src/scram/saslPrep.ts',
    instead: `import { CommandError } from '@replsim/protocol';
export function saslPrepared(password) {
  if (/^[\\x20-\\x7e]*$/.test(password)) return password;
  throw new CommandError('CommandNotSupported', 'in a browser a password can only have ASCII characters');
}`,
  },
];

export const LEFT_OUT: readonly LeftOut[] = [
  without(
    'geo/src/index.ts',
    PLACES,
    [
      ...[
        'cellValue',
        'checkInSquare',
        'nearestOf',
        'parseGeoPredicate',
        'parseNear',
        'planarBoundsNear',
        'planarKeys',
      ],
      ...['rangesInBox', 'sphereKeys', 'sphereRangesNear'],
    ],
    `export { CELL_LEVELS } from './documentKeys.ts';
export { TWO_D_DEFAULTS } from './geoHash.ts';
export { isOnPlane, isOnSphere, nearOperators } from './near.ts';
export { geoOperators } from './region.ts';`,
  ),
  without(
    'text/src/index.ts',
    WORDS,
    ['checkSearch', 'languageNamed', 'parseSearch', 'readTextRules', 'scoreOf', 'scoresOf'],
    "export { DEFAULT_LANGUAGE, DEFAULT_LANGUAGE_OVERRIDE, WILDCARD } from './textRules.ts';",
  ),
  without('database/src/access/helloLogin.ts', 'logins', ['helloLogin']),
  without('access/src/needs/applyOpsNeeds.ts', ACCESS, ['applyOpsNeeds']),
  without('access/src/needs/pipelineNeeds.ts', ACCESS, ['pipelineNeeds']),
  without('access/src/needs/viewNeeds.ts', ACCESS, ['viewNeeds']),
  without(
    'access/src/management/managingNeeds.ts',
    ACCESS,
    [],
    'export const managingNeeds = new Proxy({}, { get: () => refuse });',
  ),
  without('access/src/users/userDigest.ts', ACCESS, ['digestOfUser']),
  without('access/src/scram/credentials.ts', ACCESS, [
    ...['fakeCredentials', 'readCredentials', 'scramCredentials', 'secretOf', 'storedCredentials'],
  ]),
  without('access/src/management/users.ts', ACCESS, ['withoutPassword'], 'export const userChanges = {};'),
  without('access/src/management/roles.ts', ACCESS, [], 'export const roleChanges = {};'),
  without('node/src/access/timeProofs.ts', ACCESS, [], UNSIGNED),
  without('node/src/access/userAccess.ts', ACCESS, [], NOBODY),
  without('pipeline/src/planner/geoBounds.ts', PLACES, ['geoBoundsOf']),
  without(
    'pipeline/src/collections/geoOptions.ts',
    PLACES,
    [],
    `export const checkGeographic = (_, plugins) => plugins.some((plugin) => plugin?.startsWith('2d')) && refuse();`,
  ),
  without(
    'pipeline/src/collections/wildcardOptions.ts',
    'wildcard projections',
    ['checkWildcardProjection'],
    "export const ALL_FIELDS = '$**';",
  ),
  without(
    'database/src/requests/apiVersion.ts',
    'the Stable API',
    [],
    `export const checkApiParameters = (args) =>
  ['apiVersion', 'apiStrict', 'apiDeprecationErrors'].some((name) => args.has(name)) && refuse();`,
  ),
  without('query/src/decimalMath.ts', 'what is computed of decimals', [
    ...['exponential', 'logarithm', 'naturalLogarithm', 'normalized', 'power', 'quantize', 'quotient', 'remainder'],
    ...['roundTo', 'squareRoot'],
  ]),
  without('database/src/reading/geoNear.ts', PLACES, ['checkGeoNear', 'geoNearOf']),
  without('pipeline/src/planner/nearSearch.ts', PLACES, ['NearOrder']),
  without('storage/src/keys/geoRows.ts', PLACES, ['planarRows', 'sphereRows']),
  without('database/src/reading/textSearch.ts', WORDS, ['anySearch'], 'export const searchOf = () => refuse;'),
  // A filter that searches has been refused when it is planned.
  without(
    'pipeline/src/planner/textPlan.ts',
    WORDS,
    ['checkSearchUnderOr', 'textPlan'],
    'export const hasSearch = () => false;\nexport const searchIn = () => undefined;',
  ),
  without('storage/src/keys/textRows.ts', WORDS, ['textRows']),
  without('pipeline/src/collections/textOptions.ts', WORDS, ['textOptionsOf']),
  without('query/src/collation/collationRules.ts', COLLATIONS, ['readRules']),
  // A browser does not say which ICU it has.
  without('query/src/collation/intlOrder.ts', COLLATIONS, ['intlOrder'], "export const icuVersion = () => 'unknown';"),
  without('query/src/schema/schema.ts', 'schemas', ['compileSchema']),
  without('query/src/filter/explainFailure.ts', 'validators', ['explainFailure']),
  // A pattern that is a text with or without an anchor needs none of these.
  without('query/src/regex/parsePattern.ts', PATTERNS, ['parsePattern']),
  without('query/src/regex/backtracking.ts', PATTERNS, ['compileBacktracking']),
  without('query/src/regex/linear.ts', PATTERNS, ['compileLinear']),
  withoutOperators('conversion.ts', 'conversions', ['conversionOperators'], ['convert']),
  withoutOperators('dates.ts', 'dates', ['dateOperators', 'dateControls']),
  withoutOperators('objects.ts', 'operators of objects', ['objectOperators'], ['getField', 'mergedDocuments']),
  withoutOperators('quantiles.ts', 'quantiles', ['quantileControls'], ['readQuantiles']),
  withoutOperators('regexes.ts', PATTERNS, ['regexControls']),
  withoutOperators('sets.ts', 'operators of sets', ['setOperators']),
  withoutOperators('strings.ts', 'operators of strings', ['stringOperators'], ['boundsOf']),
  withoutOperators('trigonometry.ts', 'trigonometry', ['trigonometryOperators']),
  without('pipeline/src/stages/bucketAutoStage.ts', SOME_STAGES, ['bucketAutoStage']),
  without('pipeline/src/stages/densifyStage.ts', SOME_STAGES, ['densifyStage']),
  without('pipeline/src/stages/fillStage.ts', SOME_STAGES, ['stagesOfFill']),
  without('pipeline/src/stages/joinStages.ts', SOME_STAGES, ['lookupStage', 'graphLookupStage', 'unionWithStage']),
  without('pipeline/src/stages/redactStage.ts', SOME_STAGES, ['redactStage']),
  without('pipeline/src/stages/unwindStage.ts', SOME_STAGES, ['unwindStage']),
  without('pipeline/src/stages/windowFieldsStage.ts', SOME_STAGES, ['windowFieldsStage']),
  without('database/src/aggregation/aggregateInto.ts', SOME_STAGES, ['aggregateInto']),
  without('database/src/aggregation/listCatalog.ts', SOME_STAGES, ['listCatalog']),
  without('database/src/aggregation/listSessions.ts', SOME_STAGES, ['listLocalSessions', 'listSessions']),
  without('database/src/catalog/createView.ts', 'views', ['createView', 'encodeView', 'parseViewDefinition']),
  without('database/src/explain/explainPipeline.ts', EXPLAIN, ['explainPipeline']),
  without('database/src/explain/explainReply.ts', EXPLAIN, ['explainReply']),
  without('database/src/changeStreams/changeStreamSource.ts', STREAMS, ['ChangeStreamSource']),
  without('database/src/changeStreams/openChangeStream.ts', STREAMS, ['openChangeStream']),
  without('database/src/changeStreams/streamSpec.ts', STREAMS, ['parseStreamSpec']),
  without('database/src/changeStreams/streamStages.ts', STREAMS, ['streamStages']),
  without('changestreams/src/index.ts', STREAMS, [
    ...[
      'CURRENT_TOKEN_VERSION',
      'encodeEvent',
      'encodeInvalidate',
      'eventOf',
      'eventToken',
      'highWaterMark',
      'operationsOf',
    ],
    ...['parseToken', 'placeOf', 'splitEvent', 'StreamScope', 'updateDescription'],
  ]),
  without(
    'pipeline/src/timeseries/bucketCatalog.ts',
    TIME_SERIES,
    [],
    '/** Each member has one. */\nexport class BucketCatalog {}',
  ),
  without('pipeline/src/timeseries/bucketFilter.ts', TIME_SERIES, [
    ...['placeOf', 'bucketFilter', 'isMetaFilter', 'renamedMetaFilter'],
  ]),
  without('pipeline/src/timeseries/granularityChange.ts', TIME_SERIES, [
    'changedGranularity',
    'checkGranularityChange',
  ]),
  without('pipeline/src/timeseries/indexSpecs.ts', TIME_SERIES, [
    'bucketsIndexSpec',
    'seriesIndexSpec',
    'bucketsKeyOf',
  ]),
  without('pipeline/src/timeseries/measurement.ts', TIME_SERIES, ['readMeasurement']),
  without('pipeline/src/timeseries/rebuiltBucket.ts', TIME_SERIES, ['rebuiltBucket']),
  without('pipeline/src/timeseries/unpack.ts', TIME_SERIES, ['unpackBucket']),
  without('pipeline/src/timeseries/updateMetadata.ts', TIME_SERIES, ['metadataUpdate']),
  without('database/src/catalog/createTimeseries.ts', TIME_SERIES, ['createTimeseries']),
  without('database/src/catalog/timeseriesView.ts', TIME_SERIES, ['defineSeries', 'redefineSeries']),
  without('database/src/crud/deleteMeasurements.ts', TIME_SERIES, ['deleteMeasurements']),
  without('database/src/crud/insertMeasurements.ts', TIME_SERIES, ['insertMeasurements']),
  withoutNames('parameterNames.ts', 'export const MONGOD_PARAMETERS = [];\nexport const PARAMETER_NAMES = NAMES;'),
  withoutNames(
    'commandNames.ts',
    'export const MONGOD_COMMANDS = [];\nexport const COMMANDS_SINCE = [];\nexport const COMMAND_NAMES = NAMES;',
  ),
  withoutNames('stageNames.ts', 'export const MONGOD_STAGES = [];\nexport const STAGE_NAMES = NAMES;'),
  withoutNames('failPointNames.ts', 'export const FAIL_POINTS_ELSEWHERE = [];\nexport { unknown as whyElsewhere };'),
];

/** Files of commands below `packages`. They are known as ever, with their names and rights, and are not carried out: see `withoutRuns.ts`. */
export const COMMANDS_LEFT_OUT: readonly string[] = [
  ...[
    ...['dataSize', 'featureCompatibility', 'hostInfo', 'internals', 'maintenance', 'operations'],
    ...['planCache', 'profileCommand', 'sessionCommands', 'stats', 'top'],
  ].map((file) => `database/src/admin/${file}.ts`),
  ...['connectionStatus', 'managingCommands', 'saslCommands'].map((file) => `database/src/access/${file}.ts`),
  'database/src/admin/validate/validateCommand.ts',
  'database/src/applyOps/applyOps.ts',
  ...[
    'cloneCollectionAsCapped',
    'collMod',
    'convertToCapped',
    'dropIndexes',
    'renameCollection',
    'setIndexCommitQuorum',
  ].map((file) => `database/src/catalog/${file}.ts`),
  'database/src/crud/bulkWrite.ts',
  'database/src/crud/distinct.ts',
  'database/src/crud/findAndModify.ts',
  'database/src/explain/explainCommand.ts',
  ...['clusterParameters', 'defaultRWConcern', 'syncFromCommand'].map((file) => `node/src/replCommands/${file}.ts`),
  'node/src/writeBlock/setUserWriteBlockMode.ts',
];
