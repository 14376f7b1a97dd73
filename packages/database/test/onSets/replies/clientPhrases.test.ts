import { Long } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

/**
 * Phrases of errors that public code matches, or that public reports quote, each with a place where it does. Our messages hold
 * them, and are our own beside. `errorPhrases.test.ts` has more, whose sources are mongod's.
 */
const project = (a: unknown) => ({ aggregate: 'c', pipeline: [{ $project: { a } }], cursor: {} });
const update = (u: unknown) => ({ update: 'c', updates: [{ q: { _id: 1 }, u }] });
const index = (key: Doc, more: Doc = {}) => ({ createIndexes: 'c', indexes: [{ key, name: 'k', ...more }] });

const IN_PLAN = /Executor error during aggregate command on namespace: app\.c :: caused by :: /.source;
const inPlan = (phrase: string) => new RegExp(`^${IN_PLAN}${phrase}`);

const ROWS: readonly [command: Doc, code: number, phrase: RegExp, source: string, db?: string][] = [
  // Expressions. The rest of their family is below, under `FAMILY`.
  [
    project({ $size: '$nope' }),
    17124,
    inPlan('The argument to \\$size must be an array, but was of type: missing$'),
    'prisma/orm issue 20574',
  ],
  [
    project({ $size: '$s' }),
    17124,
    inPlan('The argument to \\$size must be an array, but was of type: string$'),
    'mongomock/mongomock pull 344',
  ],
  [
    project({ $size: ['$x', 1] }),
    16020,
    /Expression \$size takes exactly 1 arguments\. 2 were passed in\.$/,
    'mongomock/mongomock pull 344',
  ],
  [
    project({ $toObjectId: '$s' }),
    241,
    /Failed to parse objectId 'x' in \$convert with no onError value/,
    'mongodb/mongo expression.cpp',
  ],
  [
    project({ $dateToString: { date: '$$NOW', timezone: 'Mars/Olympus' } }),
    40485,
    /^Failed to optimize pipeline :: caused by :: unrecognized time zone identifier: "Mars\/Olympus"$/,
    'a public adapter whose tests saw it of 7.0 and 8.0',
  ],
  // Writes.
  [
    update({ $inc: { big: Long.MAX_VALUE } }),
    2,
    /^Failed to apply \$inc operations to current value \(\(NumberLong\)9223372036854775807\)/,
    'mongodb/mongo jstests/core',
  ],
  [
    update({ $set: { 's.b': 1 } }),
    28,
    /^Cannot create field 'b' in element \{ ?s: "x" ?\}/,
    'mongodb/mongo path_support.cpp',
  ],
  [
    update({ $set: { a: 'x'.repeat(16_777_216) } }),
    17419,
    /^Resulting document after update is larger than 16777216/,
    'mongodb/mongo update_stage.cpp',
  ],
  [
    { insert: 't', documents: [{ a: 'x', language: 'nope' }] },
    17262,
    /^language override unsupported: nope/,
    'mongodb/mongo fts_spec.cpp',
  ],
  // Catalog.
  [
    { listIndexes: 'nope' },
    26,
    /^ns does not exist: app\.nope/,
    'mongodb/node-mongodb-native test/tools/unified-spec-runner/operations.ts',
  ],
  [{ dropIndexes: 'nope', index: 'x' }, 26, /ns not found/, 'mastra-ai/mastra stores/mongodb'],
  [
    index({ a: 1 }, { name: 'b_1', expireAfterSeconds: 5 }),
    86,
    /^An existing index has the same name as the requested index/,
    'mikro-orm/mikro-orm',
  ],
  [
    index({ b: 1 }, { name: 'b_1', expireAfterSeconds: 5 }),
    85,
    /^An equivalent index already exists with the same name but different options/,
    'meteor/meteor packages/mongo',
  ],
  [index({ b: 1 }), 85, /^Index already exists with a different name: b_1/, 'mongodb/mongo index_catalog_impl.cpp'],
  [
    index({ a: true }),
    67,
    /Values in v:2 index key pattern cannot be of type bool\. Only numbers > 0, numbers < 0, and strings are allowed\./,
    'mongodb/mongo index_key_validate.cpp',
  ],
  [index({ a: 0 }), 67, /Values in the index key pattern cannot be 0\./, 'mongodb/mongo jstests/core/index'],
  [index({}), 67, /Index keys cannot be empty/, 'mongodb/mongo index_key_validate_test.cpp'],
  [
    index({ a: 1 }, { sparse: true, partialFilterExpression: { a: 1 } }),
    67,
    /cannot mix "partialFilterExpression" and "sparse" options/,
    'ReactiveMongo/ReactiveMongo issue 830',
  ],
  [
    index({ a: 'hashed' }, { unique: true }),
    16764,
    /^Currently hashed indexes cannot guarantee uniqueness\. Use a regular index/,
    'mongodb/mongo expression_params.cpp',
  ],
  [
    { create: 'x', capped: true },
    72,
    /^the 'size' field is required when 'capped' is true/,
    'mongodb/mongo collection_options.cpp',
  ],
  [
    { create: 'x', size: 5 },
    72,
    /^the 'capped' field needs to be true when either the 'size' or 'max' fields are present/,
    'mongodb/mongo collection_options.cpp',
  ],
  [
    { create: 'x', expireAfterSeconds: 5 },
    72,
    /^'expireAfterSeconds' is only supported on time-series collections or when the 'clusteredIndex' option is specified/,
    'mongodb/mongo create_command.cpp',
  ],
  [
    { collMod: 'c', index: { name: 'b_1' } },
    72,
    /^no expireAfterSeconds, hidden, unique, or prepareUnique field/,
    'mongodb/mongo coll_mod.cpp',
  ],
  [
    { fsyncUnlock: 1 },
    20,
    /^fsyncUnlock called when not locked/,
    'a public backup script that compares the message',
    'admin',
  ],
  // Places: Parse Server makes the index that it finds missing.
  [
    { find: 'c', filter: { loc: { $near: [0, 0] } } },
    291,
    /field=loc .*unable to find index for .geoNear/,
    'parse-community/parse-server src/Adapters/Storage/Mongo/MongoCollection.js',
  ],
  // Streams: the Kafka connector begins anew where it reads both of two words.
  [
    { aggregate: 'c', pipeline: [{ $changeStream: { resumeAfter: {} } }], cursor: {} },
    40647,
    /resume token/,
    'mongodb/mongo-kafka StartedMongoSourceTask.java',
  ],
  [
    { aggregate: 'c', pipeline: [{ $changeStream: { nope: 1 } }], cursor: {} },
    40415,
    /unknown field/,
    'mongodb/mongo-kafka StartedMongoSourceTask.java',
  ],
];

/**
 * Operators whose refusal ends with the type or value that was met. Sources: bwaldvogel/mongo-java-server, ExpressionTest.java, and
 * documentdb/documentdb, which hold them to mongod's; code that translates `$trim`'s for people by a regular expression.
 */
const FAMILY: readonly [expression: Doc, code: number, phrase: string][] = [
  [{ $concat: ['a', '$n'] }, 16702, '$concat only supports strings, not int'],
  [{ $add: ['$s', 1] }, 14, '$add only supports numeric or date types, not string'],
  [{ $subtract: ['$s', 1] }, 14, "can't $subtract int from string"],
  [{ $multiply: ['$s', 1] }, 14, '$multiply only supports numeric types, not string'],
  [{ $divide: ['$s', 1] }, 14, '$divide only supports numeric types, not string and int'],
  [{ $mod: ['$s', 2] }, 16611, '$mod only supports numeric types, not string and int'],
  [{ $map: { input: '$s', in: 1 } }, 16883, 'input to $map must be an array not string'],
  [{ $filter: { input: '$s', cond: 1 } }, 28651, 'input to $filter must be an array not string'],
  [
    { $reduce: { input: '$s', initialValue: 0, in: 1 } },
    40080,
    '$reduce requires that \'input\' be an array, found: "x"',
  ],
  [{ $in: [1, '$nope'] }, 40081, '$in requires an array as a second argument, found: missing'],
  [{ $slice: ['$s', 1] }, 28724, 'First argument to $slice must be an array, but is of type: string'],
  [{ $arrayElemAt: ['$s', 0] }, 28689, "$arrayElemAt's first argument must be an array, but is string"],
  [{ $first: '$s' }, 28689, "$first's argument must be an array, but is string"],
  [{ $indexOfArray: ['$s', 1] }, 40090, '$indexOfArray requires an array as a first argument, found: string'],
  [{ $reverseArray: '$s' }, 34435, 'The argument to $reverseArray must be an array, but was of type: string'],
  [{ $concatArrays: ['$s', '$x'] }, 28664, '$concatArrays only supports arrays, not string'],
  [{ $setUnion: ['$s', '$x'] }, 17043, 'All operands of $setUnion must be arrays. One argument is of type: string'],
  [
    { $setIsSubset: ['$x', '$s'] },
    17042,
    'both operands of $setIsSubset must be arrays. Second argument is of type: string',
  ],
  [{ $anyElementTrue: ['$s'] }, 17041, "$anyElementTrue's argument must be an array, but is string"],
  [{ $mergeObjects: ['$s'] }, 40400, '$mergeObjects requires object inputs, but input "x" is of type string'],
  [{ $objectToArray: '$s' }, 40390, '$objectToArray requires a document input, found: string'],
  [{ $arrayToObject: '$s' }, 40386, '$arrayToObject requires an array input, found: string'],
  [
    { $split: ['$n', 'a'] },
    40085,
    '$split requires an expression that evaluates to a string as a first argument, found: int',
  ],
  [{ $strLenCP: '$nope' }, 34471, '$strLenCP requires a string argument, found: missing'],
  [{ $indexOfCP: ['$n', 'a'] }, 40093, '$indexOfCP requires a string as the first argument, found: int'],
  [{ $toLower: '$o' }, 16007, "can't convert from BSON type object to String"],
  [{ $trim: { input: '$n' } }, 50699, '$trim requires its input to be a string, got 5 (of type int) instead.'],
  [
    { $replaceAll: { input: '$n', find: 'a', replacement: 'b' } },
    51746,
    "$replaceAll requires that 'input' be a string, found: 5",
  ],
  [{ $dateToString: { date: '$s' } }, 16006, "$dateToString: can't convert from BSON type string to Date"],
  [
    // biome-ignore lint/suspicious/noThenProperty: a branch is written so
    { $switch: { branches: [{ case: { $eq: ['$n', 0] }, then: 1 }] } },
    40066,
    '$switch could not find a matching branch for an input, and no default was specified.',
  ],
  [
    // biome-ignore lint/suspicious/noThenProperty: a branch is written so
    { $switch: { branches: [false, null, 0].map((condition) => ({ case: condition, then: 1 })) } },
    40069,
    'One cannot execute a switch statement where all the cases evaluate to false without a default.',
  ],
];

describe('phrases that clients match', () => {
  let set: AskedSet;
  beforeAll(async () => {
    set = await AskedSet.start(1);
    const document = { _id: 1, s: 'x', x: [1], n: 5, o: { a: 1 }, big: Long.MAX_VALUE };
    await set.ok('n1', { insert: 'c', documents: [document] });
    await set.ok('n1', index({ b: 1 }, { name: 'b_1' }));
    await set.ok('n1', { createIndexes: 't', indexes: [{ key: { a: 'text' }, name: 't' }] });
  });

  test.for(ROWS)('%j: %i %s (%s)', async ([command, code, phrase, , db = 'app']) => {
    const reply = await set.run('n1', command, db);
    const error = reply.writeErrors?.[0] ?? reply;
    expect([error.code, error.errmsg]).toEqual([code, expect.stringMatching(phrase)]);
  });

  test.for(FAMILY)('%j: %i %s', async ([expression, code, phrase]) => {
    const reply = await set.run('n1', project(expression));
    expect([reply.code, reply.errmsg]).toEqual([code, expect.stringContaining(` :: caused by :: ${phrase}`)]);
  });
});
