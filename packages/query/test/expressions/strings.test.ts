import { Decimal128, Double, Long, ObjectId, Timestamp } from 'bson';
import { describe } from 'vitest';
import { computes, error } from './computing.ts';

const long = Long.fromNumber;
const decimal = Decimal128.fromString;

describe('case, and what is taken for a string', () => {
  computes([
    [{ $toUpper: '$a' }, { a: 'aé ß1' }, 'Aé ß1'],
    [{ $toLower: '$a' }, { a: 'AÉ İ1' }, 'aÉ İ1'],
    [{ $toUpper: '$a' }, {}, ''],
    [{ $toUpper: '$a' }, { a: null }, ''],
    [{ $toLower: '$a' }, { a: 5 }, '5'],
    [{ $toLower: '$a' }, { a: Long.MAX_VALUE }, '9223372036854775807'],
    [{ $toLower: '$a' }, { a: new Double(3) }, '3'],
    [{ $toLower: '$a' }, { a: 0.1 + 0.2 }, '0.3'],
    [{ $toLower: '$a' }, { a: new Double(100) }, '100'],
    [{ $toLower: '$a' }, { a: 1e16 }, '1e+16'],
    [{ $toLower: '$a' }, { a: 123456789012345.6 }, '123456789012345.6'],
    [{ $toLower: '$a' }, { a: 0.00001 }, '1e-05'],
    [{ $toUpper: '$a' }, { a: new Double(-0) }, '-0'],
    [{ $toUpper: '$a' }, { a: Number.NEGATIVE_INFINITY }, '-INF'],
    [{ $toLower: '$a' }, { a: decimal('1.50') }, '1.50'],
    [{ $toLower: '$a' }, { a: new Date(0) }, '1970-01-01t00:00:00.000z'],
    [{ $toUpper: '$a' }, { a: new Timestamp({ t: 1, i: 7 }) }, 'JAN  1 00:00:01:7'],
    [{ $toUpper: '$a' }, { a: true }, error(16007)],
    [{ $toUpper: '$a' }, { a: new Date(8.64e15) }, error(18537)],
    [{ $toUpper: '$a' }, { a: ['x'] }, error(16007)],
    [{ $toUpper: ['a', 'b'] }, {}, error(16020)],
    [{ $strcasecmp: ['$a', 'ABC'] }, { a: 'abc' }, 0],
    [{ $strcasecmp: ['$a', '13'] }, { a: 12 }, -1],
    [{ $strcasecmp: ['$a', 'z'] }, { a: 'é' }, 1],
    // By bytes, not by the units of UTF-16.
    [{ $strcasecmp: ['\u{1f600}', '\uff5e'] }, {}, 1],
    [{ $strcasecmp: ['$a', null] }, {}, 0],
    [{ $strcasecmp: ['$a', 'x'] }, { a: new ObjectId('00'.repeat(12)) }, error(16007)],
  ]);
});

describe('parts', () => {
  computes([
    [{ $substr: ['$a', 1, 2] }, { a: 'abcd' }, 'bc'],
    [{ $substrBytes: ['$a', 1, -1] }, { a: 'abcd' }, 'bcd'],
    [{ $substrBytes: ['$a', 0, 2] }, { a: 'éa' }, 'é'],
    [{ $substrBytes: ['$a', 9, 1] }, { a: 'abc' }, ''],
    [{ $substrBytes: ['$a', 1.9, long(1)] }, { a: 12.5 }, '2'],
    [{ $substrBytes: ['$a', 0, 1] }, {}, ''],
    [{ $substrBytes: ['$a', 1, 1] }, { a: 'éa' }, error(28656)],
    [{ $substrBytes: ['$a', 0, 1] }, { a: 'éa' }, error(28657)],
    [{ $substrBytes: ['$a', 'x', 1] }, { a: 'abc' }, error(16034)],
    [{ $substrBytes: ['$a', 0, null] }, { a: 'abc' }, error(16035)],
    [{ $substrBytes: ['$a', -1, 1] }, { a: 'abc' }, error(50752)],
    [{ $substr: ['$a', 0] }, {}, error(16020)],
    [{ $substrCP: ['$a', 1, 2] }, { a: 'a\u{1f600}éx' }, '\u{1f600}é'],
    [{ $substrCP: ['$a', 9, 1] }, { a: 'abc' }, ''],
    [{ $substrCP: ['$a', new Double(1), decimal('1')] }, { a: 'abc' }, 'b'],
    [{ $substrCP: ['$a', 0, 1] }, { a: null }, ''],
    [{ $substrCP: ['$a', 'x', 1] }, { a: 'abc' }, error(34450)],
    [{ $substrCP: ['$a', 0.5, 1] }, { a: 'abc' }, error(34451)],
    [{ $substrCP: ['$a', 0, 'x'] }, { a: 'abc' }, error(34452)],
    [{ $substrCP: ['$a', 0, Long.MAX_VALUE] }, { a: 'abc' }, error(34453)],
    [{ $substrCP: ['$a', 0, -1] }, { a: 'abc' }, error(34454)],
    [{ $substrCP: ['$a', -1, 1] }, { a: 'abc' }, error(34455)],
    [{ $strLenBytes: '$a' }, { a: 'é\0\u{1f600}' }, 7],
    [{ $strLenCP: '$a' }, { a: 'é\0\u{1f600}' }, 3],
    [{ $strLenBytes: '$a' }, {}, error(34473)],
    [{ $strLenCP: '$a' }, { a: 5 }, error(34471)],
    [{ $split: ['$a', ', '] }, { a: 'x, y, ' }, ['x', 'y', '']],
    [{ $split: ['$a', '-'] }, { a: 'x' }, ['x']],
    [{ $split: ['$a', '-'] }, {}, null],
    [{ $split: ['$a', null] }, { a: 5 }, null],
    [{ $split: ['$a', ''] }, { a: 'x' }, error(40087)],
    [{ $split: ['$a', '-'] }, { a: 5 }, error(40085)],
    [{ $split: ['$a', 5] }, { a: 'x' }, error(40086)],
  ]);
});

describe('places', () => {
  computes([
    [{ $indexOfCP: ['$a', 'b'] }, { a: 'abc' }, 1],
    [{ $indexOfCP: ['$a', '1'] }, { a: '\u{1f600}é1' }, 2],
    [{ $indexOfCP: ['$a', 'a', 1] }, { a: 'aba' }, 2],
    [{ $indexOfCP: ['$a', 'a', 1, 2] }, { a: 'aba' }, -1],
    [{ $indexOfCP: ['$a', 'ba', 1, 2] }, { a: 'aba' }, 1],
    [{ $indexOfCP: ['$a', '', 3] }, { a: 'abc' }, -1],
    [{ $indexOfCP: ['', ''] }, {}, 0],
    [{ $indexOfCP: ['', '', 1] }, {}, -1],
    [{ $indexOfCP: ['$a', 5] }, {}, null],
    [{ $indexOfCP: ['$a', 'x'] }, { a: 5 }, error(40093)],
    [{ $indexOfCP: ['$a', null] }, { a: 'x' }, error(40094)],
    [{ $indexOfCP: ['$a', 'x', 0.5] }, { a: 'x' }, error(40096)],
    [{ $indexOfCP: ['$a', 'x', null] }, { a: 'x' }, error(40096)],
    [{ $indexOfCP: ['$a', 'x', 0, -1] }, { a: 'x' }, error(40097)],
    [{ $indexOfCP: ['$a'] }, { a: 'x' }, error(28667)],
    [{ $indexOfBytes: ['$a', '1'] }, { a: 'é1' }, 2],
    [{ $indexOfBytes: ['$a', 'ba', 1, 2] }, { a: 'aba' }, -1],
    [{ $indexOfBytes: ['$a', '', 3] }, { a: 'abc' }, 3],
    [{ $indexOfBytes: ['$a', '', 4] }, { a: 'abc' }, -1],
    [{ $indexOfBytes: ['$a', 'a', 2, 1] }, { a: 'aaa' }, -1],
    [{ $indexOfBytes: ['$a', 'x'] }, { a: null }, null],
    [{ $indexOfBytes: ['$a', 'x'] }, { a: 5 }, error(40091)],
    [{ $indexOfBytes: ['$a', 5] }, { a: 'x' }, error(40092)],
  ]);
});

describe('trimming and replacing', () => {
  computes([
    [{ $trim: { input: '$a' } }, { a: '\0 \u2003x y\u00a0\t' }, 'x y'],
    // No white space to mongod.
    [{ $trim: { input: '$a' } }, { a: '\ufeffx\u3000' }, '\ufeffx\u3000'],
    [{ $ltrim: { input: '$a' } }, { a: '  x ' }, 'x '],
    [{ $rtrim: { input: '$a' } }, { a: ' x  ' }, ' x'],
    [{ $trim: { input: '$a', chars: 'a\u{1f600}' } }, { a: '\u{1f600}axa\u{1f601}' }, 'xa\u{1f601}'],
    [{ $trim: { input: '$a', chars: '' } }, { a: ' x ' }, ' x '],
    [{ $trim: { input: '$a' } }, {}, null],
    [{ $trim: { input: '$a', chars: '$b' } }, { a: ' x ' }, null],
    [{ $trim: { input: '$a' } }, { a: 5 }, error(50699)],
    [{ $trim: { input: '$a', chars: 5 } }, { a: 'x' }, error(50700)],
    [{ $replaceOne: { input: '$a', find: 'a', replacement: '$$$&' } }, { a: 'xaa' }, error(9)],
    [{ $replaceOne: { input: '$a', find: 'a', replacement: '[$&]' } }, { a: 'xaa' }, 'x[$&]a'],
    [{ $replaceOne: { input: '$a', find: '', replacement: 'b' } }, { a: 'xa' }, 'bxa'],
    [{ $replaceAll: { input: '$a', find: 'a', replacement: 'aa' } }, { a: 'xaa' }, 'xaaaa'],
    [{ $replaceAll: { input: '$a', find: '', replacement: '-' } }, { a: 'x\u{1f600}' }, '-x-\u{1f600}-'],
    [{ $replaceAll: { input: '$a', find: '', replacement: '-' } }, { a: '' }, '-'],
    [{ $replaceAll: { input: '$a', find: 'q', replacement: '-' } }, {}, null],
    [{ $replaceAll: { input: 'x', find: null, replacement: '-' } }, {}, null],
    [{ $replaceAll: { input: 5, find: null, replacement: '-' } }, {}, error(51746)],
    [{ $replaceAll: { input: null, find: 5, replacement: '-' } }, {}, error(51745)],
    [{ $replaceOne: { input: null, find: 'x', replacement: 5 } }, {}, error(51744)],
    [{ $replaceOne: { input: null, find: 'x' } }, {}, error(51747)],
  ]);
});
