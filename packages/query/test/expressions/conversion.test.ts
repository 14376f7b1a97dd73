import { RawBson } from '@replsim/protocol';
import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import { describe, expect, test } from 'vitest';
import { compileExpression } from '../../src/index.ts';
import { doc, val } from '../bson.ts';
import { computed, shown } from './computed.ts';

const int = (value: number) => new Int32(value);
const long = (value: bigint | number) => Long.fromBigInt(BigInt(value));
const double = (value: number) => new Double(value);
const dec = (text: string) => Decimal128.fromString(text);
const iso = (text: string) => new Date(text);
const id = new ObjectId('0123456789abcdef01234567');
const uuid = new UUID('867dee52-c331-484e-92d1-c56479b8e67e');
const FAILED = 241;

type Row = readonly [given: unknown, expected: unknown];

/** A number instead of a value is an error's. */
function tableOf(operator: string, rows: readonly Row[]): void {
  describe(operator, () => {
    test.for(rows.map(([given, expected]) => [given, expected, shown(given)] as const))(
      'of $2',
      ([given, expected]) => {
        const made = computed({ [operator]: '$v' }, { v: given });
        expect(made).toBe(typeof expected === 'number' ? expected : shown(expected));
      },
    );
    test('what is missing or null becomes null', () => {
      expect(computed({ [operator]: '$v' })).toBe('null');
      expect(computed({ [operator]: null })).toBe('null');
    });
  });
}

tableOf('$toDouble', [
  [double(1.9), double(1.9)],
  [int(1), double(1)],
  [long(2n ** 53n + 1n), double(2 ** 53)],
  [dec('1.9'), double(1.9)],
  [dec('1E+400'), FAILED],
  [dec('1E-400'), FAILED],
  [dec('-Infinity'), double(Number.NEGATIVE_INFINITY)],
  [true, double(1)],
  [false, double(0)],
  [new Date(123), double(123)],
  ['1.9', double(1.9)],
  ['-1e3', double(-1000)],
  ['+.5', double(0.5)],
  ['5.', double(5)],
  ['-0', double(-0)],
  ['inf', double(Number.POSITIVE_INFINITY)],
  ['-Infinity', double(Number.NEGATIVE_INFINITY)],
  ['NaN', double(Number.NaN)],
  ['', FAILED],
  [' 1', FAILED],
  ['1 ', FAILED],
  ['1e999', FAILED],
  ['1e-999', FAILED],
  ['0e-999', double(0)],
  ['0x10', FAILED],
  ['1,5', FAILED],
  [id, FAILED],
  [[1], FAILED],
]);

tableOf('$toInt', [
  [double(1.9), int(1)],
  [double(-1.9), int(-1)],
  [double(2147483647), int(2147483647)],
  [double(2147483647.5), FAILED],
  [double(-2147483648), int(-2147483648)],
  [double(-2147483648.5), FAILED],
  [double(Number.NaN), FAILED],
  [double(Number.POSITIVE_INFINITY), FAILED],
  [int(7), int(7)],
  [long(-5), int(-5)],
  [long(2n ** 31n), FAILED],
  [dec('2147483647.9'), int(2147483647)],
  [dec('2147483648'), FAILED],
  [dec('NaN'), FAILED],
  [true, int(1)],
  ['-12', int(-12)],
  ['+12', int(12)],
  ['012', int(12)],
  ['2147483648', FAILED],
  ['1.5', FAILED],
  ['1e3', FAILED],
  ['0x1F', FAILED],
  ['', FAILED],
  ['-', FAILED],
  [' 1', FAILED],
  [new Date(1), FAILED],
]);

tableOf('$toLong', [
  [long(2n ** 53n + 1n), long(2n ** 53n + 1n)],
  [long(2n ** 63n - 1n), long(2n ** 63n - 1n)],
  [double(1.9), long(1)],
  [double(2 ** 63), FAILED],
  [double(-(2 ** 63)), long(-(2n ** 63n))],
  [dec('9223372036854775807.9'), long(2n ** 63n - 1n)],
  [dec('9223372036854775808'), FAILED],
  [int(1), long(1)],
  [false, long(0)],
  [new Date(1234), long(1234)],
  ['9007199254740993', long(9007199254740993n)],
  ['-9223372036854775808', long(-(2n ** 63n))],
  ['9223372036854775808', FAILED],
  [id, FAILED],
]);

tableOf('$toDecimal', [
  [double(1.9), dec('1.90000000000000')],
  [double(0.1), dec('0.100000000000000')],
  [double(Number.NEGATIVE_INFINITY), dec('-Infinity')],
  [int(1), dec('1')],
  [long(2n ** 63n - 1n), dec('9223372036854775807')],
  [dec('1.10'), dec('1.10')],
  [true, dec('1')],
  [new Date(123), dec('123')],
  ['1.90', dec('1.90')],
  ['-1.5e3', dec('-1.5E+3')],
  ['.5', dec('0.5')],
  ['1'.repeat(40), dec('1.111111111111111111111111111111111E+39')],
  ['-inf', dec('-Infinity')],
  ['1e7000', FAILED],
  ['1e-7000', FAILED],
  [`1e${'9'.repeat(400)}`, FAILED],
  ['x', FAILED],
  ['', FAILED],
  ['0x1', FAILED],
]);

tableOf('$toString', [
  ['text', 'text'],
  [int(-5), '-5'],
  [long(2n ** 63n - 1n), '9223372036854775807'],
  [double(1), '1'],
  [double(1.9), '1.9'],
  [double(-0), '-0'],
  [double(0.1 + 0.2), '0.30000000000000004'],
  [double(1e15), '1000000000000000'],
  [double(1e16), '1e+16'],
  [double(1.5e21), '1.5e+21'],
  [double(1e300), '1e+300'],
  [double(0.0001), '0.0001'],
  [double(0.00001), '1e-05'],
  [double(Number.NaN), 'NaN'],
  [double(Number.NEGATIVE_INFINITY), '-Infinity'],
  [dec('1.10'), '1.10'],
  [dec('-0.000001'), '-0.000001'],
  [dec('1E-7'), '1E-7'],
  [dec('1.5E+3'), '1.5E+3'],
  [dec('0E+3'), '0E+3'],
  [dec('-Infinity'), '-Infinity'],
  [dec('NaN'), 'NaN'],
  [true, 'true'],
  [false, 'false'],
  [iso('1970-01-01T00:00:00.123Z'), '1970-01-01T00:00:00.123Z'],
  [iso('0000-01-01T00:00:00Z'), '0000-01-01T00:00:00.000Z'],
  [iso('+010000-01-01T00:00:00Z'), 18537],
  [new Date(-62_167_219_200_001), 18537],
  [id, '0123456789abcdef01234567'],
  [new Binary(Uint8Array.of(1, 2, 3, 255)), 'AQID/w=='],
  [uuid, '867dee52-c331-484e-92d1-c56479b8e67e'],
  [[1], FAILED],
  [{ a: 1 }, FAILED],
  [new Timestamp({ t: 1, i: 1 }), FAILED],
  [new BSONRegExp('a'), FAILED],
  [new MinKey(), FAILED],
]);

tableOf('$toBool', [
  [double(0), false],
  [double(Number.NaN), true],
  [int(1), true],
  [long(0), false],
  [dec('0.0'), false],
  [dec('0.1'), true],
  ['', true],
  ['false', true],
  [id, true],
  [false, false],
  [new Date(0), true],
  [[], true],
  [{}, true],
  [new Binary(Uint8Array.of(0)), true],
  [new Timestamp({ t: 0, i: 0 }), true],
  [new Code('a'), true],
  [new MinKey(), true],
  [new MaxKey(), true],
]);

tableOf('$toObjectId', [
  ['0123456789abcdef01234567', id],
  ['0123456789ABCDEF01234567', id],
  [id, id],
  ['0123456789abcdef0123456', FAILED],
  ['0123456789abcdef0123456x', FAILED],
  ['', FAILED],
  [int(1), FAILED],
]);

tableOf('$toUUID', [
  ['867dee52-c331-484e-92d1-c56479b8e67e', uuid],
  ['867DEE52-C331-484E-92D1-C56479B8E67E', uuid],
  [uuid, uuid],
  ['867dee52c331484e92d1c56479b8e67e', FAILED],
  [new Binary(Uint8Array.of(1)), FAILED],
]);

tableOf('$toDate', [
  [long(1), new Date(1)],
  [double(1.9), new Date(1)],
  [double(-1.9), new Date(-1)],
  [double(1e300), FAILED],
  [dec('1.9'), new Date(1)],
  [int(1), FAILED],
  [true, FAILED],
  [id, iso('1970-08-09T22:25:43Z')],
  [new ObjectId('ffffffff0000000000000000'), new Date(-1000)],
  [new Timestamp({ t: 5, i: 9 }), new Date(5000)],
  [new Timestamp({ t: 0xffffffff, i: 9 }), new Date(0xffffffff * 1000)],
  [iso('2024-01-02'), iso('2024-01-02')],
  ['1970-01-01T00:00:00.001Z', new Date(1)],
  ['2024-01-02', iso('2024-01-02T00:00:00Z')],
  ['2024-1-2', iso('2024-01-02T00:00:00Z')],
  ['2024-01', iso('2024-01-01T00:00:00Z')],
  ['2024/01/02', iso('2024-01-02T00:00:00Z')],
  ['01/02/2024', iso('2024-01-02T00:00:00Z')],
  ['20240102', iso('2024-01-02T00:00:00Z')],
  ['20240102T101112Z', iso('2024-01-02T10:11:12Z')],
  ['2024-01-02T10:11', iso('2024-01-02T10:11:00Z')],
  ['2024-01-02 10:11:12', iso('2024-01-02T10:11:12Z')],
  [' 2024-01-02 10:11:12 ', iso('2024-01-02T10:11:12Z')],
  ['2024-01-02T10:11:12.123456789Z', iso('2024-01-02T10:11:12.123Z')],
  ['1969-12-31T23:59:59.9999Z', new Date(0)],
  ['2024-01-02T10:11:12+02:00', iso('2024-01-02T08:11:12Z')],
  ['2024-01-02T10:11:12-0530', iso('2024-01-02T15:41:12Z')],
  ['2024-01-02 10:11:12 -05', iso('2024-01-02T15:11:12Z')],
  ['2024-01-02 10:11:12 UTC', iso('2024-01-02T10:11:12Z')],
  ['2024-01-02 10:11:12 EST', iso('2024-01-02T15:11:12Z')],
  ['2024-01-02 12:00 AM', iso('2024-01-02T00:00:00Z')],
  ['2024-01-02 10:30 p.m.', iso('2024-01-02T22:30:00Z')],
  ['2024-01-02T24:00:00Z', iso('2024-01-03T00:00:00Z')],
  ['Mon, 01 Jan 2024 10:00:00 GMT', iso('2024-01-01T10:00:00Z')],
  // A weekday that is not the date's goes on to the next one.
  ['Tue, 01 Jan 2024 10:00:00 GMT', iso('2024-01-02T10:00:00Z')],
  ['Tue Jan 2 10:00:00 2024', iso('2024-01-02T10:00:00Z')],
  ['January 2, 2024', iso('2024-01-02T00:00:00Z')],
  ['2 December 2024', iso('2024-12-02T00:00:00Z')],
  ['Sept 2024', iso('2024-09-01T00:00:00Z')],
  ['@86400', iso('1970-01-02T00:00:00Z')],
  ['0024-01-02', iso('0024-01-02T00:00:00Z')],
  ['2024-02-30', FAILED],
  ['2023-02-29', FAILED],
  ['2024-13-01', FAILED],
  ['2024-01-01T25:00', FAILED],
  ['2024-01-01 23:59:60', FAILED],
  ['2024-01-01 13:00 PM', FAILED],
  ['2024-01-01 10:00:30.5 pm', FAILED],
  ['12:00', FAILED],
  ['2024', FAILED],
  ['2024-01-01 Europe/Berlin', FAILED],
  ['never', FAILED],
  ['', FAILED],
]);

test('a long is a date to the bit, however far', () => {
  const far = long(2n ** 63n - 1n);
  expect(computed({ $toLong: { $toDate: '$v' } }, { v: far })).toBe(shown(far));
});

test.for<[expression: unknown, expected: unknown]>([
  [{ $type: '$nothing' }, 'missing'],
  [{ $type: '$$REMOVE' }, 'missing'],
  [{ $type: null }, 'null'],
  [{ $type: { $literal: [1] } }, 'array'],
  [{ $type: [[1]] }, 'array'],
  [{ $type: { $toLong: 1 } }, 'long'],
  [{ $type: 1.5 }, 'double'],
  [{ $type: new MinKey() }, 'minKey'],
  [{ $type: { $toObjectId: '0123456789abcdef01234567' } }, 'objectId'],
  [{ $isNumber: dec('NaN') }, true],
  [{ $isNumber: '1' }, false],
  [{ $isNumber: '$nothing' }, false],
  [{ $binarySize: 'é' }, int(2)],
  [{ $binarySize: new Binary(Uint8Array.of(1, 2, 3)) }, int(3)],
  [{ $binarySize: null }, null],
  [{ $bsonSize: { $literal: { a: 1 } } }, int(12)],
  [{ $bsonSize: '$$ROOT' }, int(5)],
  [{ $bsonSize: '$nothing' }, null],
])('%j', ([expression, expected]) => {
  expect(computed(expression)).toBe(shown(expected));
});

const base64 = new Binary(Uint8Array.of(0xfb, 0xff, 0xfe));

test.for<[expression: object, expected: unknown]>([
  [{ input: '5', to: 'int' }, int(5)],
  [{ input: '5', to: 16 }, int(5)],
  [{ input: '5', to: long(18) }, long(5)],
  [{ input: '5', to: { type: 'double' } }, double(5)],
  [{ input: 5, to: 'string', onError: { $size: 1 } }, '5'],
  [{ input: 'x', to: 'int', onError: 'no' }, 'no'],
  [{ input: 'x', to: 'int', onNull: { $toInt: 'x' }, onError: null }, null],
  [{ input: null, to: 'int', onNull: 'null', onError: { $toInt: 'x' } }, 'null'],
  [{ input: '$nothing', to: 'int' }, null],
  [{ input: 1, to: null }, null],
  [{ input: null, to: null, onNull: 1 }, int(1)],
  [{ input: 1, to: { type: null } }, null],
  [{ input: 1, to: 'missing', onError: 'no' }, 'no'],
  [{ input: 1, to: 0, onError: 'no' }, 'no'],
  [{ input: 1, to: -1, onError: 'no' }, 'no'],
  [{ input: base64, to: 'string', format: 'base64' }, '+//+'],
  [{ input: base64, to: 'string', format: 'base64url' }, '-__-'],
  [{ input: base64, to: 'string', format: 'hex' }, 'FBFFFE'],
  [{ input: new Binary(Uint8Array.of(0xc3, 0xa9)), to: 'string', format: 'utf8' }, 'é'],
  [{ input: uuid, to: 'string', format: 'uuid' }, uuid.toString()],
  [{ input: uuid, to: 'string', format: 'auto' }, uuid.toString()],
  [{ input: base64, to: 'string', format: 'auto' }, '+//+'],
  [{ input: '+//+', to: 'binData', format: 'base64' }, base64],
  [{ input: 'AQ==', to: { type: 'binData', subtype: 128 }, format: 'base64' }, new Binary(Uint8Array.of(1), 128)],
  [{ input: '-__-', to: 'binData', format: 'base64url' }, base64],
  [{ input: 'AQ', to: 'binData', format: 'base64url' }, new Binary(Uint8Array.of(1))],
  [{ input: 'fbFFfe', to: 'binData', format: 'hex' }, base64],
  [{ input: 'é', to: 'binData', format: 'utf8' }, new Binary(Uint8Array.of(0xc3, 0xa9))],
  [{ input: uuid.toString(), to: { type: 'binData', subtype: 4 }, format: 'uuid' }, uuid],
  [{ input: base64, to: 'binData' }, base64],
  [{ input: base64, to: 'bool' }, true],
])('$convert $0', ([call, expected]) => {
  expect(computed({ $convert: call })).toBe(shown(expected));
});

test.for<[expression: object, code: number]>([
  [{ $convert: { input: 1, to: 'foo' } }, 2],
  [{ $convert: { input: null, to: 'foo', onNull: 1 } }, 2],
  [{ $convert: { input: 1, to: 'number', onError: 1 } }, 2],
  [{ $convert: { input: 1, to: 1.5 } }, 9],
  [{ $convert: { input: 1, to: 99 } }, 9],
  [{ $convert: { input: 1, to: 255 } }, 9],
  [{ $convert: { input: 1, to: true } }, 9],
  [{ $convert: { input: 1, to: { subtype: 1 } } }, 9],
  [{ $convert: { input: 1, to: { type: 'int', nope: 1 } } }, 9],
  [{ $convert: { input: 1 } }, 9],
  [{ $convert: { input: 1, to: 'int', nope: 1 } }, 9],
  [{ $convert: { input: { $size: 1 }, to: 'int', onError: 1 } }, 17124],
  [{ $convert: { input: { $toInt: 'x' }, to: 'int', onError: 1 } }, FAILED],
  [{ $convert: { input: 'x', to: 'int' } }, FAILED],
  [{ $convert: { input: 1, to: 'objectId' } }, FAILED],
  [{ $convert: { input: 1, to: 'minKey' } }, FAILED],
  [{ $convert: { input: 'AQ==', to: 'binData', onError: 1 } }, 4341115],
  [{ $convert: { input: base64, to: 'string', onError: 1 } }, 4341115],
  [{ $convert: { input: base64, to: 'string', format: 5 } }, 4341114],
  [{ $convert: { input: base64, to: 'string', format: 'no', onError: 1 } }, 4341125],
  [{ $convert: { input: base64, to: 'string', format: 'uuid' } }, FAILED],
  [{ $convert: { input: base64, to: 'string', format: 'utf8' } }, FAILED],
  [{ $convert: { input: 'AQ', to: 'binData', format: 'base64' } }, FAILED],
  [{ $convert: { input: 'A_8=', to: 'binData', format: 'base64' } }, FAILED],
  [{ $convert: { input: 'ABC', to: 'binData', format: 'hex' } }, FAILED],
  [{ $convert: { input: 'AQ==', to: 'binData', format: 'auto' } }, FAILED],
  [{ $convert: { input: uuid.toString(), to: 'binData', format: 'uuid' } }, FAILED],
  [{ $convert: { input: 'AQ==', to: { type: 'binData', subtype: 4 }, format: 'base64' } }, FAILED],
  [{ $convert: { input: 'AQ==', to: { type: 'binData', subtype: 9 }, format: 'base64', onError: 1 } }, 4341107],
  [{ $convert: { input: 'AQ==', to: { type: 'binData', subtype: 1.5 }, format: 'base64' } }, 4341106],
  [{ $convert: { input: 'AQ==', to: { type: 'binData', subtype: '1' }, format: 'base64' } }, 4341108],
  [{ $convert: { input: uuid, to: 'binData' } }, FAILED],
  [{ $toInt: [1, 2] }, 50723],
  [{ $toObjectId: [] }, 50723],
  [{ $type: [1, 2] }, 16020],
  [{ $binarySize: 5 }, 51276],
  [{ $bsonSize: 'x' }, 31393],
])('%j is refused with %i', ([expression, code]) => {
  expect(computed(expression)).toBe(code);
});

test.for<[expression: object, message: string]>([
  [{ $convert: { input: 1, to: 'foo' } }, 'Unknown type name: foo'],
  [{ $toInt: 'x' }, "Failed to parse number 'x' in $convert with no onError value: Did not consume whole string."],
  [{ $toInt: '0x10' }, 'Illegal hexadecimal input in $convert with no onError value: 0x10'],
  [{ $toObjectId: 1 }, 'Unsupported conversion from int to objectId in $convert with no onError value'],
])('%j says so', ([expression, message]) => {
  expect(() => compileExpression(val(expression))(doc({}))).toThrow(message);
});

test('onError is missing where it computes nothing', () => {
  expect(computed({ $convert: { input: 'x', to: 'int', onError: '$nothing' } })).toBe('missing');
});

test('text that is no UTF-8 is no utf8', () => {
  const bytes = doc({ v: 'a' });
  bytes[bytes.length - 3] = 0xff;
  const call = { $convert: { input: '$v', to: 'binData', format: 'utf8' } };
  expect(computed(call, new RawBson(bytes))).toBe(FAILED);
});
