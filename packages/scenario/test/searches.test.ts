import { expect, test } from 'vitest';
import { asksForSearches } from '../src/schema/searches.ts';

test.for([
  'createIndex: { in: app.p, keys: { at: 2dsphere } }',
  'createIndex: { in: app.p, keys: { at: "2d" } }',
  'createIndex: { in: app.p, keys: { told: text } }',
  "createIndex: { in: app.p, keys: { told: 'text' } }",
  'command: {"createIndexes":"p","indexes":[{"key":{"told":"text"}}]}',
  'find: { in: app.p, filter: { at: { $geoWithin: { $box: [[0, 0], [1, 1]] } } } }',
  'find: { in: app.p, filter: { at: { $nearSphere: [0, 0] } } }',
  'find: { in: app.p, filter: { at: { $within: { $center: [[0, 0], 1] } } } }',
  'find: { in: app.p, filter: { $text: { $search: dog } } }',
  'pipeline: [{ $geoNear: {} }]',
  'find: { in: app.p, filter: { name: { $regex: ^a } } }',
  'find: { in: app.p, filter: { name: { $regularExpression: { pattern: ^a, options: i } } } }',
  'validator: { $jsonSchema: { properties: { name: { "pattern": ^a } } } }',
])('asks for searches: %s', (step) => expect(asksForSearches(step)).toBe(true));

test.for([
  'insert: { into: app.texts, documents: [{ text: a, context: b }] }',
  'advance: 12d',
  'find: { in: app.n2d }',
  'find: { in: app.patterns }',
  'pipeline: [{ $set: { x: { $sin: $a } } }]',
  'pipeline: [{ $bucketAuto: { groupBy: $n, buckets: 2, granularity: R5 } }]',
])('asks for none: %s', (step) => expect(asksForSearches(step)).toBe(false));
