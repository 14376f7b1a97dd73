import { ELEMENTS, MANY } from './fixtures.ts';
import { nested, type Row, times } from './row.ts';

const find = (fixture: string, filter: object, more: object = {}): Pick<Row, 'fixtures' | 'commands'> => ({
  fixtures: [fixture],
  commands: () => ({ find: fixture, filter, batchSize: 1, ...more }),
});

/** Filters, sorts, cursors, text and places. */
export const READS: readonly Row[] = [
  { name: 'find with $or of 20,000', ...find('many', { $or: times(MANY, (i) => ({ k: i, g: -1 })) }) },
  { name: 'find with $and of 20,000', ...find('many', { $and: times(MANY, (i) => ({ k: { $ne: -i - 1 } })) }) },
  {
    name: 'find with $in of 100,000 and $nin of 100,000',
    ...find('many', { k: { $nin: times(100_000, (i) => i) }, g: { $in: times(100_000, (i) => i) } }),
  },
  {
    name: 'find, nested 90 deep, branches alike',
    ...find(
      'many',
      nested<object>(90, { k: -1 }, (inner) => ({ $and: [inner, inner].slice(0, 1), $nor: [{ $nor: [{ k: -2 }] }] })),
    ),
  },
  {
    name: 'find, a tree of 2^12 branches',
    ...find(
      'few',
      nested<object>(12, { k: -1 }, (inner) => ({ $or: [inner, inner] })),
    ),
  },
  { name: 'find by a regex that backtracks', ...find('letters', { s: /a*a*a*b/ }) },
  { name: 'find by a regex, 20,000 documents', ...find('many', { s: /(.*)x(.*)y/ }) },
  { name: 'find by $elemMatch in 100,000', ...find('objects', { a: { $elemMatch: { k: -1, v: { $gt: 5 } } } }) },
  { name: 'find by $all of 1,000 in 100,000', ...find('array', { a: { $all: times(1000, (i) => i) } }) },
  { name: 'find by equality with an array of 100,000', ...find('array', { a: times(ELEMENTS, (i) => i) }) },
  {
    name: 'find by $jsonSchema over 20,000',
    ...find('many', {
      $jsonSchema: { properties: { k: { minimum: 0, maximum: 5 }, s: { pattern: '^x' } }, required: ['k', 's'] },
    }),
  },
  { name: 'find by $where-less $expr over 20,000', ...find('many', { $expr: { $eq: [{ $mod: ['$k', 7] }, 9] } }) },
  {
    name: 'find sorted by 32 fields',
    ...find('many', {}, { sort: Object.fromEntries(times(32, (i) => [`x${i}`, 1])) }),
  },
  { name: 'find with skip 19,999', ...find('many', {}, { skip: MANY - 1 }) },
  { name: 'find, all of 20,000 in one batch', ...find('many', {}, { batchSize: 100_000 }) },
  {
    name: 'find, a projection of 1,000 fields',
    ...find('wide', {}, { projection: Object.fromEntries(times(1000, (i) => [`f${i * 20}`, 1])) }),
  },
  {
    name: 'find by text, 20,000 documents',
    ...find(
      'words',
      { $text: { $search: 'dog cat bird1 -tree3' } },
      { sort: { v: { $meta: 'textScore' } }, projection: { v: { $meta: 'textScore' } } },
    ),
  },
  { name: 'find by text with a phrase', ...find('words', { $text: { $search: '"dog cat" bird7' } }) },
  {
    name: 'find near a point, 20,000 places',
    ...find('places', { p: { $nearSphere: { $geometry: { type: 'Point', coordinates: [0, 0] } } } }),
  },
  {
    name: 'find within a polygon of 5,000 corners',
    ...find('places', { p: { $geoWithin: { $geometry: polygon(5000) } } }),
  },
  {
    name: '$geoNear over 20,000',
    fixtures: ['places'],
    commands: () => ({
      aggregate: 'places',
      cursor: {},
      pipeline: [{ $geoNear: { near: { type: 'Point', coordinates: [0, 0] }, distanceField: 'd' } }, { $count: 'n' }],
    }),
  },
  { name: 'count of 20,000', fixtures: ['many'], commands: () => ({ count: 'many', query: { s: { $gt: 'a' } } }) },
  { name: 'distinct of 20,000', fixtures: ['many'], commands: () => ({ distinct: 'many', key: 's' }) },
  { name: 'distinct of 100,000 elements', fixtures: ['array'], commands: () => ({ distinct: 'array', key: 'a' }) },
  {
    name: 'explain of $or of 20,000',
    fixtures: ['many'],
    commands: () => ({
      explain: { find: 'many', filter: { $or: times(MANY, (i) => ({ k: i })) } },
      verbosity: 'executionStats',
    }),
  },
  {
    name: '2,000 open cursors',
    fixtures: ['many'],
    atOnce: true,
    commands: () => times(2000, () => ({ find: 'many', batchSize: 1, skip: 100 })),
  },
  {
    name: 'a change stream from 20,000 inserts ago',
    fixtures: ['changed'],
    commands: () => ({
      aggregate: 'changed',
      cursor: { batchSize: 1 },
      pipeline: [
        { $changeStream: { fullDocument: 'updateLookup', fullDocumentBeforeChange: 'whenAvailable' } },
        { $match: { 'fullDocument.k': -1 } },
      ],
    }),
  },
  {
    name: '200 change streams',
    fixtures: ['many'],
    atOnce: true,
    commands: () => times(200, () => ({ aggregate: 'many', cursor: {}, pipeline: [{ $changeStream: {} }] })),
  },
];

function polygon(corners: number): object {
  const ring = times(corners, (i) => {
    const angle = (2 * Math.PI * i) / corners;
    return [40 * Math.cos(angle), 40 * Math.sin(angle)];
  });
  return { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
}
