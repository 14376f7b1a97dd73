import { Binary, Long, Timestamp } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

/**
 * What drivers, their tests and users look for in an error beside its code. Our messages hold these phrases, and say the rest
 * in their own words. Upstream: the command's sources, where the code is thrown.
 */
const find = (more: Record<string, unknown>) => ({ find: 'c', ...more });
const aggregate = (...pipeline: unknown[]) => ({ aggregate: 'c', pipeline, cursor: {} });
const update = (u: unknown, more: Record<string, unknown> = {}) => ({
  update: 'c',
  updates: [{ q: { _id: 1 }, u, ...more }],
});
const index = (...indexes: unknown[]) => ({ createIndexes: 'c', indexes });

const REFUSED: readonly [command: Record<string, unknown>, code: number, phrase: RegExp, db?: string][] = [
  // Commands and their fields.
  [{ nope: 1 }, 59, /^no such command: 'nope'/],
  [find({ nope: 1 }), 40415, /^BSON field 'find\.nope' is an unknown field\.$/],
  [find({ limit: 'x' }), 14, /^BSON field 'find\.limit' is the wrong type 'string', expected types? /],
  [find({ limit: -1 }), 51024, /^BSON field 'limit' value must be >= 0, actual value '-1'/],
  [{ insert: 'c' }, 40414, /^BSON field 'insert\.documents' is missing but a required field/],
  [{ find: '' }, 73, /Invalid namespace specified 'app\.'/],
  [{ create: 'a$b' }, 73, /Invalid collection name/],
  [{ create: 'x'.repeat(260) }, 73, /Fully qualified namespace is too long/],
  [{ top: 1 }, 13, /^top may only be run against the admin database\./],
  [{ explain: { nope: 1 } }, 59, /^Explain failed due to unknown command: nope/],
  [{ setParameter: 1, nope: 1 }, 72, /attempted to set unrecognized parameter \[nope\]/, 'admin'],
  [{ getParameter: 1, nope: 1 }, 72, /no option found to get/, 'admin'],
  [{ configureFailPoint: 'nope', mode: 'off' }, 266, /nope not found/, 'admin'],
  [{ killOp: 1 }, 4, /Did not provide "op" field/, 'admin'],
  [{ replSetInitiate: {} }, 23, /already initialized/, 'admin'],
  [find({ maxTimeMS: -1 }), 2, /-1 value for maxTimeMS is out of range/],
  [find({ readConcern: { level: 'nope' } }), 9, /nope/],
  [
    { insert: 'c', documents: [{}], writeConcern: { j: true, fsync: true } },
    9,
    /^fsync and j options cannot be used together/,
  ],
  [{ collStats: 'c', apiVersion: '1', apiStrict: true }, 323, /is not in API Version 1/],
  // Filters, sorts, projections, hints.
  [find({ filter: { $nope: 1 } }), 2, /^unknown top level operator: \$nope/],
  [find({ filter: { a: { $nope: 1 } } }), 2, /^unknown operator: \$nope/],
  [find({ filter: { $or: [] } }), 2, /\$and\/\$or\/\$nor must be a nonempty array/],
  [find({ filter: { a: { $in: 1 } } }), 2, /^\$in needs an array/],
  [find({ filter: { $expr: { $nope: 1 } } }), 168, /^Unrecognized expression '\$nope'/],
  [find({ projection: { a: 1, b: 0 } }), 31254, /Cannot do exclusion on field b in inclusion projection/],
  [find({ projection: { a: 0, b: 1 } }), 31253, /Cannot do inclusion on field b in exclusion projection/],
  [find({ projection: { a: 1, 'a.b': 1 } }), 31249, /Path collision at a\.b/],
  [find({ projection: { 'a.': 1 } }), 40353, /FieldPath must not end with a '\.'/],
  [find({ hint: 'nope' }), 2, /hint provided does not correspond to an existing index/],
  [find({ tailable: true }), 2, /tailable cursor requested on non capped collection/],
  // Places.
  [
    find({ filter: { loc: { $near: { $geometry: { type: 'Point', coordinates: [0, 0] } } } } }),
    291,
    /unable to find index for \$geoNear query/,
  ],
  [
    find({ filter: { loc: { $near: { $geometry: { type: 'Point', coordinates: [0, 99] } } } } }),
    2,
    /Longitude\/latitude is out of bounds, lng: 0 lat: 99/,
  ],
  [
    find({ filter: { loc: { $near: [0, 0], $maxDistance: 5 } } }),
    291,
    // Parse Server makes an index on the field that it finds so.
    /field=loc maxdist=5 isNearSphere=0 planner returned error :: caused by :: unable to find index for \$geoNear query/,
  ],
  [find({ filter: { $or: [{ loc: { $near: [0, 0] } }, { a: 1 }] } }), 2, /geoNear must be top-level expr/],
  [find({ filter: { loc: { $geoWithin: { $geometry: { type: 'X' } } } } }), 2, /unknown GeoJSON type/],
  [
    aggregate({ $match: { loc: { $near: [0, 0] } } }),
    5626500,
    /^\$geoNear, \$near, and \$nearSphere are not allowed in this context/,
  ],
  [
    aggregate({ $geoNear: { near: [0, 0], distanceField: 'd' } }),
    27,
    /\$geoNear requires a 2d or 2dsphere index, but none were found/,
  ],
  // Words.
  [find({ filter: { $text: { $search: 'x' } } }), 27, /^text index required for \$text query$/],
  [find({ filter: { $text: {} } }), 4, /Missing expected field "\$search"/],
  [
    find({ sort: { s: { $meta: 'textScore' } } }),
    40218,
    /^query requires text score metadata, but it is not available$/,
  ],
  [find({ projection: { s: { $meta: 'nope' } } }), 17308, /Unsupported argument to \$meta: nope/],
  [
    { aggregate: 'c', pipeline: [{ $limit: 1 }, { $match: { $text: { $search: 'x' } } }], cursor: {} },
    17313,
    /^\$match with \$text is only allowed as the first pipeline stage$/,
  ],
  // Pipelines.
  [aggregate({ $nope: 1 }), 40324, /^Unrecognized pipeline stage name: '\$nope'$/],
  [aggregate({}), 40323, /^A pipeline stage specification object must contain exactly one field\.$/],
  [aggregate(1), 14, /^Each element of the 'pipeline' array must be an object$/],
  [{ aggregate: 'c', pipeline: 1, cursor: {} }, 14, /^'pipeline' option must be specified as an array$/],
  [
    aggregate({ $lookup: { from: 'd', as: 'x', pipeline: 1 } }),
    14,
    /^'pipeline' option must be specified as an array$/,
  ],
  [aggregate({ $unionWith: { coll: 'd', pipeline: {} } }), 14, /^'pipeline' option must be specified as an array$/],
  // Of a view they are a field like others.
  [
    { create: 'v', viewOn: 'c', pipeline: [1] },
    14,
    /^BSON field 'create\.pipeline\.0' is the wrong type 'int', expected type 'object'$/,
  ],
  [
    { create: 'v', viewOn: 'c', pipeline: 1 },
    14,
    /^BSON field 'create\.pipeline' is the wrong type 'int', expected type 'array'$/,
  ],
  [
    { aggregate: 'c', pipeline: [] },
    9,
    /^The 'cursor' option is required, except for aggregate with the explain argument/,
  ],
  [aggregate({ $out: 'x' }, { $match: {} }), 40601, /^\$out can only be the final stage in the pipeline/],
  [aggregate({ $match: {} }, { $collStats: {} }), 40602, /^\$collStats is only valid as the first stage in a pipeline/],
  [aggregate({ $facet: { a: [{ $out: 'x' }] } }), 40600, /^\$out is not allowed to be used within a \$facet stage/],
  [aggregate({ $project: {} }), 51272, /^Invalid \$project :: caused by :: /],
  [aggregate({ $project: { a: 1, b: 0 } }), 31254, /^Invalid \$project :: caused by :: Cannot do exclusion on field b/],
  [aggregate({ $limit: 0 }), 15958, /^the limit must be positive/],
  [aggregate({ $skip: -1 }), 5107200, /^invalid argument to \$skip stage/],
  [aggregate({ $sort: {} }), 15976, /\$sort stage must have at least one sort key/],
  [aggregate({ $count: '' }), 40157, /^the count field must be a non-empty string/],
  [aggregate({ $unwind: 'a' }), 28818, /^path option to \$unwind stage should be prefixed with a '\$': a/],
  [aggregate({ $group: {} }), 15955, /^a group specification must include an _id/],
  [aggregate({ $group: { _id: 1, a: { $nope: 1 } } }), 15952, /^unknown group operator '\$nope'/],
  [aggregate({ $group: { _id: 1, a: 1 } }), 40234, /^The field 'a' must be an accumulator object/],
  [
    aggregate({ $lookup: { from: 'd', as: 'x' } }),
    9,
    /^\$lookup requires either 'pipeline' or both 'localField' and 'foreignField'/,
  ],
  [
    aggregate({ $addFields: { a: { $nope: 1 } } }),
    168,
    /^Invalid \$addFields :: caused by :: Unrecognized expression '\$nope'/,
  ],
  [aggregate({ $replaceRoot: { newRoot: 1 } }), 40228, /'newRoot' expression .* must evaluate to an object/],
  // Writes.
  [{ insert: 'c', documents: [] }, 16, /^Write batch sizes must be between 1 and 100000\. Got 0 operations\./],
  [
    { insert: 'c', documents: [{ _id: 1 }] },
    11000,
    /^E11000 duplicate key error collection: app\.c index: _id_ dup key: \{ _id: 1 \}/,
  ],
  [{ insert: 'c', documents: [{ _id: [1] }] }, 53, /^The '_id' value cannot be of type array/],
  [{ delete: 'c', deletes: [{ q: {}, limit: 2 }] }, 9, /^The limit field in delete objects must be 0 or 1\. Got 2/],
  [update({ $nope: { a: 1 } }), 9, /^Unknown modifier: \$nope/],
  [update({ $set: { a: 1 }, $inc: { a: 1 } }), 40, /^Updating the path 'a' would create a conflict at 'a'/],
  [update({ $set: { _id: 2 } }), 66, /^Performing an update on the path '_id' would modify the immutable field '_id'/],
  [update({ $inc: { a: 'x' } }), 14, /^Cannot increment with non-numeric argument: \{ ?a: "x" ?\}/],
  [update({ $push: { s: 1 } }), 2, /^The field 's' must be an array but is of type string in document \{ ?_id: 1 ?\}/],
  [update({ a: 1 }, { multi: true }), 9, /^multi update is not supported for replacement-style update/],
  [update({ $set: { 'x.$[e]': 1 } }), 2, /^No array filter found for identifier 'e' in path 'x\.\$\[e\]'/],
  [update({ $set: { 'x.$': 1 } }), 2, /^The positional operator did not find the match needed from the query\./],
  [{ insert: 'v', documents: [{}] }, 166, /^Namespace app\.v is a view, not a collection/],
  // Collections and indexes.
  [{ dropIndexes: 'nope', index: 'x' }, 26, /^ns not found app\.nope/],
  [{ create: 'c', capped: true, size: 4096 }, 48, /already exists\. ?NS: app\.c|already exists, but/],
  [{ listIndexes: 'nope' }, 26, /^ns does not exist: app\.nope/],
  [{ renameCollection: 'app.nope', to: 'app.x' }, 26, /^Source collection app\.nope does not exist/, 'admin'],
  [{ renameCollection: 'app.c', to: 'app.d' }, 48, /^target namespace exists/, 'admin'],
  [
    index({ key: { a: 1 }, name: 'b_1' }),
    86,
    // MikroORM's suite looks for the whole of it.
    /^An existing index has the same name as the requested index\. When index names are not specified, they are auto generated and can cause conflicts\. Please refer to our documentation\. Requested index: /,
  ],
  [index({ key: { b: 1 }, name: 'x' }), 85, /^Index already exists with a different name: b_1/],
  [
    index({ key: { b: 1 }, name: 'b_1', expireAfterSeconds: 5 }),
    85,
    /^An equivalent index already exists with the same name but different options/,
  ],
  [
    index({ name: 'x' }),
    9,
    /^Error in specification \{ name: "x" \} :: caused by :: The 'key' field is a required property of an index specification/,
  ],
  [index(), 2, /^Must specify at least one index to create/],
  [{ dropIndexes: 'c', index: 'nope' }, 27, /^index not found with name \[nope\]/],
  [{ dropIndexes: 'c', index: { nope: 1 } }, 27, /^can't find index with key: \{ ?nope: 1 ?\}/],
  [{ dropIndexes: 'c', index: '_id_' }, 72, /^cannot drop _id index/],
  [{ collMod: 'c', index: { name: 'nope', expireAfterSeconds: 1 } }, 27, /^cannot find index nope for ns app\.c/],
  [
    { create: 'x', collation: { locale: 'en', strength: 9 } },
    2,
    /^Enumeration value '9' for field 'collation\.strength' is not a valid value\./,
  ],
  [{ create: 'v' }, 48, /^namespace app\.v already exists, but with different options/],
  [index({ key: { k: 1 }, name: '*' }), 2, /^The index name '\*' is not valid\.$/],
  [
    index({ key: { k: 1 }, name: 'k', nope: 1 }),
    197,
    /^Error in specification \{ key: \{ k: 1 \}, name: "k", nope: 1 \} :: caused by :: The field 'nope' is not valid for an index specification/,
  ],
  [index({ key: { k: 1 }, name: 'k', expireAfterSeconds: -1 }), 67, /'expireAfterSeconds' cannot be less than 0/],
  [index({ key: { k: 1, l: 1 }, name: 'k', expireAfterSeconds: 1 }), 67, /compound indexes do not support TTL/],
  [
    index({ key: { k: 'nope' }, name: 'k' }),
    67,
    /^Error in specification \{ key: \{ k: "nope" \}, name: "k" \} :: caused by :: Unknown index plugin 'nope'/,
  ],
  [
    index({ key: { k: 1 }, name: 'k', sparse: true, partialFilterExpression: { a: 1 } }),
    67,
    /^Error in specification \{.*\} :: caused by :: cannot mix "partialFilterExpression" and "sparse" options$/,
  ],
  [index({ key: { _id: 1 }, name: '_id_', sparse: true }), 197, /^The field 'sparse' is not valid for an _id index/],
  [
    {
      createIndexes: 'many',
      indexes: Array.from({ length: 64 }, (_, i) => ({ key: { [`k${i}`]: 1 }, name: `k${i}` })),
    },
    67,
    /^add index fails, too many indexes for app\.many key:/,
  ],
  [{ convertToCapped: 'nope', size: 4096 }, 26, /^source collection app\.nope does not exist/],
  [{ collMod: 'nope', validator: {} }, 26, /^ns does not exist: app\.nope/],
  [{ create: 'w', viewOn: 'w', pipeline: [] }, 5, /^View cycle detected: /],
  [
    { insert: 'c', documents: [{}] },
    13297,
    /^db already exists with different case already have: \[app\] trying to create \[APP\]/,
    'APP',
  ],
  // Documents that cannot be written.
  [{ insert: 'val', documents: [{}] }, 121, /^Document failed validation$/],
  [{ insert: 'c', documents: [{ p: [1], q: [1] }] }, 171, /^cannot index parallel arrays \[\w\] \[\w\]/],
  [
    { insert: 'c', documents: [{ a: 'x'.repeat(16 * 1024 * 1024 + 1) }] },
    2,
    /^object to insert too large\. size in bytes: \d+, max size: 16777216/,
  ],
  [
    { insert: 'c', documents: [{ u: 'x' }, { u: 'x' }] },
    11000,
    /^E11000 duplicate key error collection: app\.c index: u_1 dup key: \{ u: "x" \}/,
  ],
  [
    update({ $inc: { s: 1 } }),
    14,
    /^Cannot apply \$inc to a value of non-numeric type\. \{ ?_id: 1 ?\} has the field 's' of non-numeric type string/,
  ],
  [
    update({ $addToSet: { s: 1 } }),
    2,
    /^Cannot apply \$addToSet to non-array field\. Field named 's' has non-array type string/,
  ],
  [update({ $pull: { s: 1 } }), 2, /^Cannot apply \$pull to a non-array value/],
  [update({ $pop: { s: 1 } }), 14, /^Path 's' contains an element of non-array type 'string'/],
  [update({ $set: { 's.b': 1 } }), 28, /^Cannot create field 'b' in element \{ ?s: "x" ?\}/],
  [update({ $set: { 'x.$.a.$': 1 } }), 2, /^Too many positional \(i\.e\. '\$'\) elements found in path 'x\.\$\.a\.\$'/],
  [
    update({ $set: 'x' }),
    9,
    /^Modifiers operate on fields but we found type string instead\. For example: \{ ?\$mod: \{ ?<field>: \.\.\. ?\} ?\} not/,
  ],
  [
    update({ a: 1, $b: 1 }),
    52,
    /^The dollar \(\$\) prefixed field '\$b' in '\$b' is not allowed in the context of an update's replacement document/,
  ],
  [
    update({ _id: 9 }),
    66,
    /^After applying the update, the \(immutable\) field '_id' was found to have been altered to _id: 9/,
  ],
  [update({ $rename: { a: 'a' } }), 2, /^The source and target field for \$rename must differ/],
  [
    { update: 'c', updates: [{ q: { $and: [{ a: 1 }, { a: 2 }] }, u: { $set: { b: 1 } }, upsert: true }] },
    54,
    /^cannot infer query fields to set, path 'a' is matched twice/,
  ],
  // findAndModify.
  [{ findAndModify: 'c' }, 9, /^Either an update or remove=true must be specified/],
  [{ findAndModify: 'c', remove: true, update: {} }, 9, /^Cannot specify both an 'update' and 'remove'=true/],
  [
    { findAndModify: 'c', remove: true, new: true },
    9,
    /^Cannot specify both new=true and remove=true; 'remove' always returns the deleted document/,
  ],
  [{ findAndModify: 'c', remove: true, upsert: true }, 9, /^Cannot specify both upsert=true and remove=true/],
  [
    { findAndModify: 'c', query: { _id: 1 }, update: { $set: { u: 'x' } } },
    11000,
    /^Plan executor error during findAndModify :: caused by :: E11000 duplicate key error collection: app\.c index: u_1 dup key: \{ u: "x" \}/,
  ],
  // Values in expressions.
  [aggregate({ $project: { a: { $divide: [1, '$zero'] } } }), 2, /can't \$divide by zero/],
  [
    aggregate({ $project: { a: { $toInt: '$s' } } }),
    241,
    /Failed to parse number 'x' in \$convert with no onError value/,
  ],
  [
    aggregate({ $project: { a: { $toObjectId: '$s' } } }),
    241,
    /Failed to parse objectId 'x' in \$convert with no onError value/,
  ],
  [find({ projection: { a: '$$nope' } }), 17276, /Use of undefined variable: nope/],
  [find({ filter: { a: { $regex: '(' } } }), 51091, /^Regular expression is invalid: /],
  [find({ filter: { a: { $regex: 1 } } }), 2, /^\$regex has to be a string/],
  [find({ filter: { $and: [1] } }), 2, /entries need to be full objects/],
  [
    aggregate({ $merge: { into: 'd', on: 'zz' } }),
    51183,
    /Cannot find index to verify that join fields will be unique/,
  ],
  // Concerns and times.
  [
    { insert: 'c', documents: [{}], writeConcern: { w: 'nope' } },
    79,
    /^No write concern mode named 'nope' found in replica set configuration/,
  ],
  [{ insert: 'c', documents: [{}], writeConcern: { w: 9 } }, 100, /^Not enough data-bearing nodes/],
  [
    find({ readConcern: { level: 'snapshot', atClusterTime: new Timestamp({ t: 1, i: 1 }) } }),
    239,
    /^Read timestamp .* is older than the oldest available timestamp/,
  ],
  [
    find({ readConcern: { afterClusterTime: new Timestamp({ t: 2_000_000_000, i: 1 }) } }),
    72,
    /^readConcern afterClusterTime value must not be greater than the current clusterTime/,
  ],
  // Cursors.
  [{ getMore: Long.fromNumber(5), collection: 'c' }, 43, /^cursor id 5 not found/],
];

describe('the phrases that errors are known by', () => {
  let set: AskedSet;
  beforeAll(async () => {
    set = await AskedSet.create({ members: [{ name: 'n1' }, { name: 'n2' }] });
    await set.untilPrimary('n1');
    await set.run('n1', { insert: 'c', documents: [{ _id: 1, s: 'x', x: [1] }] }, 'app');
    await set.run('n1', { create: 'd' }, 'app');
    await set.run('n1', { create: 'v', viewOn: 'c', pipeline: [] }, 'app');
    await set.run('n1', index({ key: { b: 1 }, name: 'b_1' }), 'app');
    await set.run('n1', index({ key: { u: 1 }, name: 'u_1', unique: true, sparse: true }), 'app');
    await set.run('n1', index({ key: { p: 1, q: 1 }, name: 'pq' }), 'app');
    await set.run('n1', { create: 'val', validator: { a: { $exists: true } } }, 'app');
    await set.run('n1', { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { zero: 0 } } }] }, 'app');
    await set.run('n1', { insert: 'c', documents: [{ u: 'x' }] }, 'app');
  });

  test.for(REFUSED)('%j: %i %s', async ([command, code, phrase, db = 'app']) => {
    const reply = (await set.run('n1', command, db)) as {
      code?: number;
      errmsg?: string;
      writeErrors?: { code: number; errmsg: string }[];
      writeConcernError?: { code: number; errmsg: string };
    };
    const error = reply.writeErrors?.[0] ?? reply.writeConcernError ?? reply;
    expect([error.code, error.errmsg]).toEqual([code, expect.stringMatching(phrase)]);
  });

  test('whoever may not write or read now says so in mongod’s words', async () => {
    const write = await set.run('n2', { insert: 'c', documents: [{}] }, 'app');
    expect(write.errmsg).toMatch(/^not primary/);
    await set.run('n2', { replSetMaintenance: true }, 'admin');
    const read = (await set.run('n2', { find: 'c', $readPreference: { mode: 'secondary' } }, 'app')) as {
      errmsg: string;
    };
    expect(read.errmsg).toMatch(/node is recovering|not primary or secondary/);
  });

  test('a command that a fail point makes fail', async () => {
    const data = { failCommands: ['ping'], errorCode: 2 };
    await set.run('n1', { configureFailPoint: 'failCommand', mode: { times: 1 }, data }, 'admin');
    expect(await set.run('n1', { ping: 1 }, 'admin')).toMatchObject({
      code: 2,
      errmsg: "Failing command via 'failCommand' failpoint",
    });
  });
});

describe('the phrases of sessions and transactions', () => {
  let set: AskedSet;
  const session = (n: number) => ({ lsid: { id: new Binary(new Uint8Array(16).fill(n), 4) } });
  const number = (n: number) => ({ txnNumber: Long.fromNumber(n) });
  const statement = (s: number, n: number, more: Doc = {}) => ({
    ...session(s),
    ...number(n),
    autocommit: false,
    ...more,
  });
  const START = { startTransaction: true };
  beforeAll(async () => {
    set = await AskedSet.start(1);
    await set.ok('n1', { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    // Sessions: 1 has an open transaction that holds what it wrote, 2 an aborted one, 3 a committed one, 4 a retryable write.
    const writes = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] };
    await set.ok('n1', { ...writes, ...statement(1, 15, START) });
    await set.ok('n1', { insert: 'c', documents: [{ _id: 9 }], ...statement(1, 15) });
    for (const [s, command] of [
      [2, 'abortTransaction'],
      [3, 'commitTransaction'],
    ] as const) {
      await set.ok('n1', { find: 'c', ...statement(s, 5, START) });
      await set.ok('n1', { [command]: 1, ...statement(s, 5) }, 'admin');
    }
    await set.ok('n1', { insert: 'c', documents: [{ _id: 3 }], ...session(4), ...number(5) });
  });

  const insert = { insert: 'c', documents: [{}] };
  const conflicting = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 2 } } }] };
  test.for<[what: string, command: Doc, code: number, phrase: RegExp, db?: string]>([
    [
      'another number',
      find(statement(1, 99)),
      251,
      /^Given transaction number 99 does not match any in-progress transactions\. The active transaction number is 15/,
    ],
    ['a session that nobody knows', find(statement(8, 1)), 251, /does not match any in-progress transactions/],
    ['after an abort', find(statement(2, 5)), 251, /^Transaction with \{ txnNumber: 5 \} has been aborted/],
    ['commit after an abort', { commitTransaction: 1, ...statement(2, 5) }, 251, /has been aborted/, 'admin'],
    ['after a commit', find(statement(3, 5)), 256, /^Transaction 5 has been committed\./],
    [
      'an older one',
      find(statement(1, 14, START)),
      225,
      /^Cannot start transaction with \{ txnNumber: 14 \} on session .* because a newer transaction with txnNumber 15 has already started/,
    ],
    [
      'one older than a retryable write',
      find(statement(4, 4, START)),
      225,
      /because a newer retryable write with txnNumber 5 has already started/,
    ],
    [
      'an older retryable write',
      { ...insert, ...session(4), ...number(4) },
      225,
      /^Retryable write with txnNumber 4 is prohibited on session .* because a newer retryable write with txnNumber 5 has already started/,
    ],
    [
      'the same number again',
      find(statement(1, 15, START)),
      117,
      /can start a new transaction at the active transaction number/,
    ],
    [
      'a retryable write by the number of a transaction',
      { ...insert, ...session(3), ...number(5) },
      217,
      /^Incomplete history detected for transaction 5 on session /,
    ],
    ['no session', { ...insert, ...number(1) }, 72, /^Transaction number requires a session ID to also be specified/],
    [
      'no number',
      find({ ...session(5), autocommit: false }),
      72,
      /^'autocommit' field requires a transaction number to also be specified/,
    ],
    [
      'no autocommit',
      find({ ...session(5), ...number(1), ...START }),
      72,
      /^'startTransaction' field requires 'autocommit' field to also be specified/,
    ],
    [
      'startTransaction: false',
      find(statement(5, 1, { startTransaction: false })),
      72,
      /^Specifying startTransaction=false is not allowed\./,
    ],
    [
      'autocommit: true',
      find({ ...session(5), ...number(1), autocommit: true }),
      72,
      /^Specifying autocommit=true is not allowed\./,
    ],
    ['a negative number', find(statement(5, -1, START)), 72, /^Transaction number cannot be negative/],
    [
      'a read with a number',
      find({ ...session(5), ...number(1) }),
      50768,
      /^txnNumber may only be provided for multi-document transactions and retryable write commands\./,
    ],
    [
      'ping with a number',
      { ping: 1, ...session(5), ...number(1) },
      50889,
      /^It is illegal to provide a txnNumber for command ping/,
    ],
    ['count', { count: 'c', ...statement(5, 1, START) }, 263, /^Cannot run 'count' in a multi-document transaction\./],
    [
      'commit without one',
      { commitTransaction: 1 },
      125,
      /^commitTransaction must be run within a transaction/,
      'admin',
    ],
    [
      'a write concern inside',
      { ...insert, ...statement(1, 15, { writeConcern: { w: 1 } }) },
      72,
      /^writeConcern is not allowed within a multi-statement transaction/,
    ],
    [
      'a read concern of a later statement',
      find(statement(1, 15, { readConcern: { level: 'local' } })),
      72,
      /^Only the first command in a transaction may specify a readConcern/,
    ],
    [
      'a conflict of an update',
      { ...conflicting, ...statement(6, 1, START) },
      112,
      /Write conflict during plan execution and yielding is disabled\. :: Please retry your operation or multi-document transaction\./,
    ],
    [
      'a conflict of a delete',
      { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }], ...statement(6, 2, START) },
      112,
      /Please retry your operation or multi-document transaction/,
    ],
    [
      'a conflict of a findAndModify',
      { findAndModify: 'c', query: { _id: 1 }, remove: true, ...statement(6, 3, START) },
      112,
      // Before 7.0 the plan said that it was the findAndModify's.
      /^Caused by :: Write conflict during plan execution and yielding is disabled\. :: Please retry your operation or multi-document transaction/,
    ],
    [
      'a conflict of an insert',
      { insert: 'c', documents: [{ _id: 9 }], ...statement(6, 4, START) },
      112,
      /^WriteConflict error: this operation conflicted with another operation\. Please retry your operation or multi-document transaction/,
    ],
  ])('%s', async ([, command, code, phrase, db = 'app']) => {
    const reply = await set.run('n1', command, db);
    expect([reply.code, reply.errmsg]).toEqual([code, expect.stringMatching(phrase)]);
  });
});

test.for<[command: Doc, code: number, phrase: RegExp, db?: string]>([
  [{ replSetInitiate: {} }, 76, /^This node was not started with replication enabled\./, 'admin'],
  [{ replSetGetStatus: 1 }, 76, /^not running with --replSet/, 'admin'],
  [aggregate({ $changeStream: {} }), 40573, /^The \$changeStream stage is only supported on replica sets/],
  [
    { insert: 'c', documents: [{}], lsid: { id: new Binary(new Uint8Array(16), 4) }, txnNumber: Long.ONE },
    20,
    /^Transaction numbers are only allowed on a replica set member or mongos/,
  ],
  [{ insert: 'c', documents: [{}], writeConcern: { w: 2 } }, 2, /^cannot use 'w' > 1 when a host is not replicated/],
  [
    find({ readConcern: { level: 'snapshot' } }),
    123,
    /^node needs to be a replica set member to use readConcern: snapshot/,
  ],
])('a standalone: %j', async ([command, code, phrase, db = 'app']) => {
  const set = await AskedSet.create({ members: [{ name: 'n1' }] });
  set.set.kill('n1');
  await set.set.start('n1', { as: 'standalone' });
  const reply = await set.run('n1', command, db);
  expect([reply.code, reply.errmsg]).toEqual([code, expect.stringMatching(phrase)]);
  await set.set.close();
});

test('time limits, missing primaries and members that shut down', async () => {
  const set = await AskedSet.start(1);
  await set.ok('n1', { configureFailPoint: 'maxTimeAlwaysTimeOut', mode: { times: 1 } }, 'admin');
  expect((await set.run('n1', { ping: 1, maxTimeMS: 10 })).errmsg).toBe('operation exceeded time limit');
  const waiting = set.send('n1', { insert: 'c', documents: [{}], writeConcern: { w: 1 } });
  await set.until(() => waiting.reply() !== undefined);
  await set.ok(
    'n1',
    { configureFailPoint: 'waitInFindBeforeMakingBatch', mode: 'alwaysOn', data: { shouldCheckForInterrupt: true } },
    'admin',
  );
  const read = set.send('n1', { find: 'c' });
  await set.pass(10);
  set.send('n1', { shutdown: 1, force: true, timeoutSecs: 0 }, 'admin');
  await set.pass(100);
  expect(read.reply()?.errmsg).toMatch(/interrupted at shutdown|The server is in quiesce mode and will shut down/);
  await set.set.close();
});
