import { Long, ObjectId, Timestamp } from 'bson';
import { expect, test } from 'vitest';
import { encodeDocument, formatLogLine, type LogLine, RawBson } from '../src/index.ts';

const LINE: LogLine = {
  severity: 'I',
  component: 'ELECTION',
  id: 21450,
  ctx: 'ReplCoord-0',
  msg: 'Election succeeded',
  attr: {},
};
const AT = Date.UTC(2025, 0, 1, 0, 0, 11, 7);

test.for<[name: string, line: Partial<LogLine>, text: string]>([
  ['bare', {}, '"s":"I",  "c":"ELECTION", "id":21450,   "ctx":"ReplCoord-0","msg":"Election succeeded"}'],
  ['8.0', { svc: 'S' }, '"s":"I",  "c":"ELECTION", "id":21450,   "svc":"S", "ctx":"ReplCoord-0","msg":"Election succeeded"}'], // biome-ignore format: one line
  ['short component', { component: '-' }, '"s":"I",  "c":"-",        "id":21450,   "ctx":"ReplCoord-0","msg":"Election succeeded"}'], // biome-ignore format: one line
  ['debug, long id', { severity: 'D2', id: 12345678 }, '"s":"D2", "c":"ELECTION", "id":12345678,"ctx":"ReplCoord-0","msg":"Election succeeded"}'], // biome-ignore format: one line
  ['tags', { tags: ['startupWarnings'] }, '"s":"I",  "c":"ELECTION", "id":21450,   "ctx":"ReplCoord-0","msg":"Election succeeded","tags":["startupWarnings"]}'], // biome-ignore format: one line
])('%s', ([, line, text]) => {
  expect(formatLogLine({ ...LINE, ...line }, AT)).toBe(`{"t":{"$date":"2025-01-01T00:00:11.007+00:00"},${text}`);
});

test.for<[value: unknown, json: string]>([
  [3, '3'],
  [3n, '3'],
  [Number.NaN, '{"$numberDouble":"NaN"}'],
  [-Infinity, '{"$numberDouble":"-Infinity"}'],
  ['a"b', '"a\\"b"'],
  [true, 'true'],
  [null, 'null'],
  [[1, 2n], '[1,2]'],
  [new Date(0), '{"$date":"1970-01-01T00:00:00.000Z"}'],
  [new Date(Number.NaN), '{"$date":null}'],
  [{ t: 5, i: 1 }, '{"$timestamp":{"t":5,"i":1}}'],
  [{ ts: { t: 5, i: 1 }, t: 2 }, '{"ts":{"$timestamp":{"t":5,"i":1}},"t":2}'],
  [new Timestamp({ t: 5, i: 1 }), '{"$timestamp":{"t":5,"i":1}}'],
  [Long.fromNumber(7), '7'],
  [new ObjectId('0123456789abcdef01234567'), '{"$oid":"0123456789abcdef01234567"}'],
  [new RawBson(encodeDocument({ a: 1, b: [2n, { c: 0.5 }], d: new Date(0) })), '{"a":1,"b":[2,{"c":0.5}],"d":{"$date":"1970-01-01T00:00:00.000Z"}}'], // biome-ignore format: one line
  [{ a: undefined, b: { c: 1 } }, '{"b":{"c":1}}'],
])('attribute %o', ([value, json]) => {
  expect(formatLogLine({ ...LINE, attr: { value } }, AT)).toContain(`"attr":{"value":${json}}}`);
});
