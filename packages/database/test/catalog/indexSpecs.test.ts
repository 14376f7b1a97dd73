import { expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

const create = (key: object, more: object = {}) =>
  new FakeMember().run({ createIndexes: 'c', indexes: [{ key, name: 'x', ...more }] }).code;

test.for([
  [{ '$**': 'hashed' }, 67],
  [{ '$**': '2d' }, 67],
  [{ '$**': '2dsphere' }, 67],
  [{ 'a.$**': 'hashed' }, 67],
  [{ 'a.$**': '2d' }, 67],
  [{ 'a.$**': '2dsphere' }, 67],
  [{ 'a.$**': 'text' }, 67],
  [{ x: 1, '$**': 'hashed' }, 67],
  [{ x: 'hashed', 'a.$**': 1 }, 67],
  [{ x: '2dsphere', 'a.$**': 1 }, 67],
  [{ '$**': 'wildcard' }, 67],
  [{ '$**': 'text' }, undefined],
  [{ x: 1, '$**': 'text' }, undefined],
  [{ '$**': 1 }, undefined],
  [{ '$**': -1 }, undefined],
  [{ 'a.$**': 1, x: 1 }, undefined],
] as [object, number | undefined][])('an index on %j: %s', ([key, code]) => {
  expect(create(key)).toBe(code);
});

// Upstream: jstests/core/index/wildcard/wildcard_index_validindex.js.
test.for([
  [{ a: 1, b: 0 }, 31254],
  [{ a: 0, b: 1 }, 31253],
  [{ a: { b: 1, c: 0 } }, 31254],
  [{ a: 's' }, 51271],
  [{ a: '$b' }, 51271],
  [{ a: null }, 51271],
  [{ a: [] }, 51271],
  [{ a: { $slice: 1 } }, 51271],
  [{ a: { $add: [1, 1] } }, 51271],
  [{ a: { $meta: 'textScore' } }, 51271],
  [{ a: { b: { $literal: 1 } } }, 51271],
  [{ a: 1, 'a.b': 1 }, 31249],
  [{ 'a.b': 1, a: 1 }, 31250],
  [{ _id: 0, a: 1 }, undefined],
  [{ _id: 1, a: 0 }, undefined],
  [{ a: 1, 'b.c': true }, undefined],
  [{ a: { b: 1, c: 1 } }, undefined],
  [{ _id: 1 }, undefined],
] as [object, number | undefined][])('wildcardProjection: %j: %s', ([wildcardProjection, code]) => {
  expect(create({ '$**': 1 }, { wildcardProjection })).toBe(code);
});

test.for([
  [{ a: 1, '$**': -1, b: 1 }, { a: 0, b: 0 }, undefined],
  [{ '$**': 1, b: 1 }, { _id: 0, a: 1 }, undefined],
  [{ '$**': 1, b: 1 }, { _id: 1, a: 0, b: 0 }, undefined],
  [{ '$**': 1, b: 1 }, { _id: 1 }, undefined],
  [{ '$**': 1, d: 1 }, { a: { b: 1, c: 1 } }, undefined],
  [{ '$**': 1, c: 1 }, { 'a.b': 1, 'a.b.c': 1 }, 7246200],
  [{ '$**': 1, c: 1 }, { c: 0, 'a.b': 0, a: 0 }, 7246200],
  [{ a: 1, '$**': 1 }, { a: 1 }, 7246208],
  [{ a: 1, '$**': 1, b: 1 }, { a: 1, b: 1 }, 7246208],
  [{ _id: 1, '$**': 1 }, { _id: 1, a: 1 }, 7246208],
  [{ 'a.b': 1, '$**': 1 }, { a: 1 }, 7246208],
  [{ '$**': 1, c: 1 }, { _id: 0, a: 0, b: 1 }, 7246210],
  [{ '$**': 1, c: 1 }, { c: 0, b: 1 }, 7246211],
  [{ '$**': 1, _id: 1, e: 1 }, { _id: 1, e: 0 }, 7246208],
  [{ '$**': 1, _id: 1, e: 1 }, { _id: 0, a: 1 }, undefined],
  [{ st: 1, '$**': 1 }, { a: 'something' }, 51271],
  [{ a: 1, '$**': 1 }, { _id: 0 }, undefined],
  [{ b: 1, '$**': 1 }, { _id: 0, a: 0 }, 7246210],
  [{ _id: 1, '$**': 1 }, { _id: 0 }, undefined],
  [{ a: 1, _id: 1, '$**': 1 }, { a: 0 }, 7246209],
  [{ a: 1, b: 1, '$**': 1 }, { b: 0 }, 7246209],
  [{ 'a.b': 1, '$**': 1 }, { _id: 0, a: 0 }, undefined],
  [{ a: 1, '$**': 1 }, { _id: 0, 'a.b': 0 }, 7246209],
  [{ '$**': 1, 'e.c': 1 }, { _id: 1, 'e.b': 0 }, 7246210],
] as [object, object, number | undefined][])('%j with wildcardProjection %j: %s', ([key, wildcardProjection, code]) => {
  expect(create(key, { wildcardProjection })).toBe(code);
});
