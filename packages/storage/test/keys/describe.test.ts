import { encodeDocument } from '@replsim/protocol';
import { Binary, BSONSymbol, Code, Decimal128, Double, ObjectId, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { describeDocument } from '../../src/keys/describe.ts';

const shown = (v: unknown) => describeDocument(encodeDocument({ v }));
const ID = '64b7f00000000000000000a1';

describe('each type as mongod prints it', () => {
  test.for<[value: unknown, text: string]>([
    ['x', '"x"'],
    [new BSONSymbol('x'), '"x"'],
    [5, '5'],
    [5n, '5'],
    [new Double(5), '5.0'],
    [Decimal128.fromString('5.0'), '5.0'],
    [true, 'true'],
    [null, 'null'],
    [new Date(7), 'new Date(7)'],
    [/a/i, '/a/i'],
    [new ObjectId(ID), `ObjectId('${ID}')`],
    [new Timestamp({ t: 3, i: 4 }), 'Timestamp(3, 4)'],
    [new Binary(Uint8Array.of(0xab)), 'BinData(0, AB)'],
    [new Code('f()'), 'f()'],
    [new Code('f()', { a: 1 }), 'CodeWScope( f(), { a: 1 })'],
    [{}, '{}'],
    [[1, { a: 'x' }], '[ 1, { a: "x" } ]'],
  ])('%o is %s', ([value, text]) => expect(shown(value)).toBe(`{ v: ${text} }`));

  test('a DBPointer, which no class of bson is', () => {
    const bytes = encodeDocument({ v: { $: 'a.c', id: new ObjectId(ID) } });
    const pointer = new Uint8Array(4 + 3 + 4 + 4 + 12 + 1);
    pointer.set([pointer.length, 0, 0, 0, 0x0c, 0x76, 0, 4, 0, 0, 0, 0x61, 0x2e, 0x63, 0]);
    pointer.set(bytes.subarray(-14, -2), 15);
    expect(describeDocument(pointer)).toBe(`{ v: DBRef('a.c',${ID}) }`);
  });
});

describe('what is long is cut', () => {
  const hex = (bytes: number) => 'AB'.repeat(bytes);
  const data = (bytes: number) => new Binary(new Uint8Array(bytes).fill(0xab));
  const owls = '🦉'.repeat(37);

  test.for<[what: string, value: unknown, text: string]>([
    ['159 bytes of text are not', 'x'.repeat(159), `"${'x'.repeat(159)}"`],
    ['160 bytes of text', 'x'.repeat(160), `"${'x'.repeat(150)}..."`],
    ['a symbol', new BSONSymbol('x'.repeat(160)), `"${'x'.repeat(150)}..."`],
    ['in the middle of a character', '🦉'.repeat(100), `"${owls}\ufffd..."`],
    ['text inside', [{ a: 'x'.repeat(160) }], `[ { a: "${'x'.repeat(150)}..." } ]`],
    ['79 bytes of code are not', new Code('x'.repeat(79)), 'x'.repeat(79)],
    ['80 bytes of code', new Code('x'.repeat(80)), `${'x'.repeat(70)}...`],
    ['nor is code with a scope', new Code('x'.repeat(200), {}), `CodeWScope( ${'x'.repeat(200)}, {})`],
    ['80 bytes of data are not', data(80), `BinData(0, ${hex(80)})`],
    ['81 bytes of data', data(81), `BinData(0, ${hex(70)}...)`],
    ['nor are many values', Array(500).fill(1), `[ ${Array(500).fill(1).join(', ')} ]`],
  ])('%s', ([, value, text]) => expect(shown(value)).toBe(`{ v: ${text} }`));
});
