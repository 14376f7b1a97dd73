import { Code } from 'bson';
import { expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

// No JavaScript of clients is run, wherever it may stand: each place says so, and by which name.

const $function = { body: 'function(a) { return a; }', args: ['$n'], lang: 'js' };
const $accumulator = { init: 'function() {}', accumulate: 'function() {}', accumulateArgs: [], merge: 'f', lang: 'js' };
const aggregate = (...pipeline: object[]) => ({ aggregate: 'c', pipeline, cursor: {} });
const update = (q: object, u: object | object[]) => ({ update: 'c', updates: [{ q, u }] });

test.for<[command: object, code: number, name: string]>([
  [{ find: 'c', filter: { $where: 'this.n > 1' } }, 2, '$where'],
  [{ find: 'c', filter: { $where: new Code('this.n > 1') } }, 2, '$where'],
  [{ find: 'c', filter: { $or: [{ n: 1 }, { $where: 'true' }] } }, 2, '$where'],
  [{ find: 'c', filter: { a: { $elemMatch: { $where: 'true' } } } }, 2, '$where'],
  [{ count: 'c', query: { $where: 'true' } }, 2, '$where'],
  [{ distinct: 'c', key: 'n', query: { $where: 'true' } }, 2, '$where'],
  [{ delete: 'c', deletes: [{ q: { $where: 'true' }, limit: 1 }] }, 2, '$where'],
  [update({ $where: 'true' }, { $set: { n: 2 } }), 2, '$where'],
  [{ findAndModify: 'c', query: { $where: 'true' }, remove: true }, 2, '$where'],
  [aggregate({ $match: { $where: 'true' } }), 2, '$where'],
  [{ create: 'd', validator: { $where: 'true' } }, 2, '$where'],
  [{ find: 'c', filter: { $expr: { $function } } }, 115, '$function'],
  [{ find: 'c', projection: { n: { $function } } }, 115, '$function'],
  [aggregate({ $project: { n: { $function } } }), 115, '$function'],
  [aggregate({ $addFields: { n: { $add: [{ $function }, 1] } } }), 115, '$function'],
  [aggregate({ $match: { $expr: { $function } } }), 115, '$function'],
  [aggregate({ $group: { _id: { $function } } }), 115, '$function'],
  [aggregate({ $group: { _id: 1, n: { $accumulator } } }), 115, '$accumulator'],
  [aggregate({ $bucket: { groupBy: '$n', boundaries: [0, 9], output: { n: { $accumulator } } } }), 115, '$accumulator'],
  [update({}, [{ $set: { n: { $function } } }]), 115, '$function'],
  [{ mapReduce: 'c', map: 'function() {}', reduce: 'function() {}', out: { inline: 1 } }, 115, 'mapReduce'],
])('%j → %d', ([command, code, name]) => {
  const member = new FakeMember();
  member.insert('c', { _id: 1, n: 5, a: [{ b: 1 }] });
  const reply = member.run(command as never);
  const refused = (reply.writeErrors as (typeof reply)[] | undefined)?.[0] ?? reply;
  expect(refused).toMatchObject({ code });
  expect(refused.errmsg).toContain(name);
  expect(refused.errmsg).toMatch(/JavaScript/);
  expect(member.ok({ find: 'c' }).cursor.firstBatch).toEqual([{ _id: 1, n: 5, a: [{ b: 1 }] }]);
});
