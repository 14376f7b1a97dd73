import { expect, test } from 'vitest';
import {
  asksForRare,
  RARE_COMMANDS,
  RARE_CONTROLS,
  RARE_CONTROLS_ALONE,
  RARE_OPERATORS,
  RARE_STAGES,
} from '../src/schema/rare.ts';

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
  'find: { in: app.p, filter: { name: { $regex: ^a+ } } }',
  'find: { in: app.p, filter: { name: { $regex: ["a"] } } }',
  'find: { in: app.p, filter: { name: { $regex: "reason: .*primary" } } }',
  'find: { in: app.p, filter: { name: { $regex: a, $options: i } } }',
  'find: { in: app.p, filter: { name: { $regularExpression: { pattern: ^a, options: i } } } }',
  'validator: { $jsonSchema: { properties: { name: { "pattern": ^a } } } }',
  'run: { create: m, timeseries: { timeField: t } }',
  'run: {"explain": {"find": "p"}}',
  'run: { aggregate: p, pipeline: [], explain: true, cursor: {} }',
  'watch: { as: s, in: app.p }',
])('asks for what is rare: %s', (step) => expect(asksForRare(step)).toBe(true));

test.for([
  'insert: { into: app.texts, documents: [{ text: a, context: b }] }',
  'advance: 12d',
  'find: { in: app.n2d }',
  'find: { in: app.patterns }',
  'find: { in: app.p, filter: { name: { $regex: ^read-only } } }',
  `log: { attr.request: { $regex: "dryRun: true, term: 1," } }`,
  'pipeline: [{ $set: { x: { $add: [$a, 1] } } }, { $group: { _id: null, sum: { $sum: $x } } }]',
  'note: what we watch, and explain',
  'update: { in: app.p, filter: {}, update: { $set: { a: 1 }, $push: { b: 2 } } }',
])('asks for none: %s', (step) => expect(asksForRare(step)).toBe(false));

test('whatever is rare is seen by its name', () => {
  const operators = [RARE_OPERATORS, RARE_CONTROLS, RARE_CONTROLS_ALONE].flatMap((tables) =>
    Object.values(tables).flat(),
  );
  const written = [
    ...operators.map((name) => `v: { ${name}: $x }`),
    ...RARE_STAGES.map((name) => `pipeline: [{"${name}":{}}]`),
    ...RARE_COMMANDS.map((name) => `run: { ${name}: 1 }`),
  ];
  expect(written.filter((text) => !asksForRare(text))).toEqual([]);
});
