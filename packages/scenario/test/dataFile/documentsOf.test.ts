import { encodeDocument } from '@replsim/protocol';
import { Decimal128, Double, EJSON, Int32, Long, ObjectId, serialize, Timestamp } from 'bson';
import { expect, test } from 'vitest';
import { documentsOf } from '../../src/dataFile/documentsOf.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (name: string, text: string | Uint8Array) => [
  ...documentsOf(name, typeof text === 'string' ? bytesOf(text) : text),
];
const complaint = (name: string, text: string | Uint8Array): string => {
  try {
    read(name, text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

const ALL = {
  _id: new ObjectId('0123456789abcdef01234567'),
  int: new Int32(5),
  long: Long.fromString('5'),
  far: Long.fromString('9007199254740993'),
  whole: new Double(1),
  half: new Double(0.5),
  nan: new Double(Number.NaN),
  decimal: Decimal128.fromString('1.10'),
  at: new Date(Date.UTC(2025, 0, 1, 12, 30, 0, 7)),
  early: new Date(-1),
  ts: new Timestamp({ t: 5, i: 1 }),
  text: 'a "quoted" \\ line\nand ☃',
  nested: { list: [1, { a: null }], yes: true },
};

test('canonical Extended JSON, as mongoexport --jsonFormat=canonical writes it, keeps every type', () => {
  const line = EJSON.stringify(ALL, { relaxed: false });
  expect(read('a.json', `${line}\n`)).toEqual([Uint8Array.from(serialize(ALL))]);
});

test('relaxed Extended JSON keeps doubles apart from integers, and integers beyond what JavaScript counts exactly', () => {
  const text =
    '{"i":5,"d":1.0,"e":1e3,"n":-0.0,"l":3000000000,"far":9007199254740993,"at":{"$date":"2025-01-01T12:30:00.007Z"}}';
  expect(read('a.jsonl', text)).toEqual([
    encodeDocument({
      i: new Int32(5),
      d: new Double(1),
      e: new Double(1000),
      n: new Double(-0),
      l: 3_000_000_000n,
      far: 9_007_199_254_740_993n,
      at: ALL.at,
    }),
  ]);
});

test('keys keep their order, whatever they look like', () => {
  const [bytes] = read('a.json', '{"b":1,"2":1,"1":1,"__proto__":1}');
  expect(bytes).toEqual(
    encodeDocument(
      new Map([
        ['b', 1],
        ['2', 1],
        ['1', 1],
        ['__proto__', 1],
      ]),
    ),
  );
});

test.each([
  ['one a line', '{"a":1}\n\n{"a":2}\r\n'],
  ['an array', '[{"a":1},\n {"a":2}]\n'],
  ['over several lines', '{\n  "a": 1\n}\n{\n  "a": 2\n}\n'],
  ['with a mark of the byte order', '\ufeff{"a":1}{"a":2}'],
])('documents stand %s', (_, text) => {
  expect(read('a.json', text)).toEqual([encodeDocument({ a: 1 }), encodeDocument({ a: 2 })]);
});

test.each([
  ['{"a":1}\n{"a":}', 'line 2: expected a JSON value, found "}"; the file must hold'],
  ['{"a":1}\n{a:1}', 'line 2: expected a field name in double quotes, found "a:1}"'],
  ['[{"a":1},\n5]', 'line 2: expected a document: {"field": value}'],
  ['[{"a":1}] x', 'line 1: the array ends here, and more follows; remove what follows it'],
  ['{"a":1,"a":2}', 'line 1: the field "a" stands twice in one document; remove one of them'],
  ['{"a":{"$oid":"x"}}', 'line 1: {"$oid":"x"} is not a value, write { $oid: "0123456789abcdef01234567" }'],
  ['{"a":"x', 'line 1: this text does not end on its line'],
  ['{"a":1', 'line 1: expected "," or "}", found the end of the file'],
  [`${'{"a":'.repeat(300)}1`, 'line 1: documents are nested deeper than 220 levels'],
])('%s is reported with its line', (text, message) => {
  expect(complaint('a.json', text)).toContain(message);
});

test('other files are not guessed at', () => {
  expect(complaint('a.csv', 'a,b')).toBe(
    'its name: it must end in .json, .jsonl or .bson, perhaps with .gz; mongoexport writes JSON, and mongodump BSON',
  );
});
