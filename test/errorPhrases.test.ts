import { Long } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet } from './askedSet.ts';

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
  [aggregate(1), 14, /^BSON field 'aggregate\.pipeline\.0' is the wrong type 'int', expected type 'object'/],
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
  [aggregate({ $addFields: { a: { $nope: 1 } } }), 168, /^Unrecognized expression '\$nope'/],
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
  [index({ name: 'x' }), 9, /^The 'key' field is a required property of an index specification/],
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
  });

  test.for(REFUSED)('%j: %i %s', async ([command, code, phrase, db = 'app']) => {
    const reply = (await set.run('n1', command, db)) as {
      code?: number;
      errmsg?: string;
      writeErrors?: { code: number; errmsg: string }[];
    };
    const error = reply.writeErrors?.[0] ?? reply;
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
