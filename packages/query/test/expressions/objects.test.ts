import { CommandError } from '@replsim/protocol';
import { Decimal128, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { compileExpression } from '../../src/index.ts';
import { ordered, val } from '../bson.ts';
import { computes, error, MISSING } from './computing.ts';

const long = Long.fromNumber;
const decimal = Decimal128.fromString;

describe('objects', () => {
  computes([
    [{ $mergeObjects: ['$a', { y: 1 }, null, '$nothing', { x: 5 }] }, { a: { x: long(1), z: decimal('1.0') } }, { x: 5, z: decimal('1.0'), y: 1 }], // biome-ignore format: one line
    [{ $mergeObjects: '$a' }, { a: [{ x: long(1) }, null, { y: 2 }] }, { x: long(1), y: 2 }],
    [{ $mergeObjects: '$nothing' }, {}, {}],
    [{ $mergeObjects: [] }, {}, {}],
    [{ $mergeObjects: ['$a', [{}]] }, {}, error(40400)],
    [{ $mergeObjects: 5 }, {}, error(40400)],
    [{ $objectToArray: '$a' }, { a: { x: long(1), y: decimal('1.0') } }, [{ k: 'x', v: long(1) }, { k: 'y', v: decimal('1.0') }]], // biome-ignore format: one line
    [{ $objectToArray: '$nothing' }, {}, null],
    [{ $objectToArray: '$a' }, { a: [] }, error(40390)],
    [{ $arrayToObject: '$a' }, { a: [['x', long(1)], ['y', 2], ['x', decimal('3')]] }, { x: decimal('3'), y: 2 }], // biome-ignore format: one line
    [{ $arrayToObject: '$a' }, { a: [{ v: long(1), k: 'x' }] }, { x: long(1) }],
    [{ $arrayToObject: [[['x', 1]]] }, {}, { x: 1 }],
    [{ $arrayToObject: '$a' }, { a: [] }, {}],
    [{ $arrayToObject: '$nothing' }, {}, null],
    [{ $arrayToObject: '$a' }, { a: 5 }, error(40386)],
    [{ $arrayToObject: '$a' }, { a: [{ k: 'x', v: 1 }, 5] }, error(40391)],
    [{ $arrayToObject: '$a' }, { a: [{ k: 'x', v: 1, w: 1 }] }, error(40392)],
    [{ $arrayToObject: '$a' }, { a: [{ k: 'x', w: 1 }] }, error(40393)],
    [{ $arrayToObject: '$a' }, { a: [{ k: 5, v: 1 }] }, error(40394)],
    [{ $arrayToObject: '$a' }, { a: [[5, 1]] }, error(40395)],
    [{ $arrayToObject: '$a' }, { a: [['x', 1], 5] }, error(40396)],
    [{ $arrayToObject: '$a' }, { a: [['x']] }, error(40397)],
    [{ $arrayToObject: '$a' }, { a: [5] }, error(40398)],
    [{ $arrayToObject: '$a' }, { a: [['x\0', 1]] }, error(4940400)],
    [{ $arrayToObject: '$a' }, { a: [{ k: 'x\0', v: 1 }] }, error(4940401)],
  ]);
});

describe('fields by their very names', () => {
  const stored = { 'a.b': long(1), $c: 2, n: null, o: { 'x.y': decimal('1.0') }, name: 'a.b' };
  computes([
    [{ $getField: 'a.b' }, stored, long(1)],
    [{ $getField: { $literal: '$c' } }, stored, 2],
    [{ $getField: { field: 'x.y', input: '$o' } }, stored, decimal('1.0')],
    [{ $getField: '$name' }, stored, long(1)],
    [{ $getField: { field: { $concat: ['a', '.b'] }, input: '$$ROOT' } }, stored, long(1)],
    [{ $getField: 'n' }, stored, null],
    [{ $getField: 'nothing' }, stored, MISSING],
    [{ $getField: { field: 'x', input: '$n' } }, stored, null],
    [{ $getField: { field: 'x', input: '$nothing' } }, stored, MISSING],
    [{ $getField: { field: 'x', input: 5 } }, stored, MISSING],
    [{ $getField: { field: 'x', input: 5, y: 1 } }, stored, error(3041701)],
    [{ $getField: { input: 5 } }, stored, error(3041702)],
    [{ $getField: {} }, stored, error(3041702)],
    [{ $getField: { field: 'x' } }, stored, error(3041703)],
    [{ $getField: 5 }, stored, error(3041704)],
    [{ $getField: { field: '$nothing', input: {} } }, stored, error(3041704)],
    [{ $setField: { field: 'x.y', input: '$o', value: long(2) } }, stored, { 'x.y': long(2) }],
    [{ $setField: { field: { $literal: '$c' }, input: '$o', value: 1 } }, stored, { 'x.y': decimal('1.0'), $c: 1 }],
    [{ $setField: { field: 'x.y', input: '$o', value: '$$REMOVE' } }, stored, {}],
    [{ $setField: { field: 'q', input: '$o', value: '$nothing' } }, stored, { 'x.y': decimal('1.0') }],
    [{ $setField: { field: 'q', input: '$n', value: 1 } }, stored, null],
    [{ $unsetField: { field: 'x.y', input: '$o' } }, stored, {}],
    [{ $unsetField: { field: 'x', input: { x: 1, y: 2 } } }, stored, { y: 2 }],
    [{ $unsetField: { field: 'x', input: '$nothing' } }, stored, null],
    [{ $setField: { field: 'q', input: 5, value: 1 } }, stored, error(4161105)],
    [{ $setField: 5 }, stored, error(4161100)],
    [{ $unsetField: { field: 'q', input: {}, value: 1 } }, stored, error(4161101)],
    [{ $setField: {} }, stored, error(4161102)],
    [{ $setField: { field: 'q' } }, stored, error(4161103)],
    [{ $setField: { field: 'q', value: 1 } }, stored, error(4161109)],
    [{ $setField: { field: { $concat: ['a', 'b'] }, input: {}, value: 1 } }, stored, error(4161106)],
    [{ $setField: { field: 5, input: {}, value: 1 } }, stored, error(4161107)],
    [{ $setField: { field: '$name', input: {}, value: 1 } }, stored, error(4161108)],
    [{ $setField: { field: 'a\0', input: {}, value: 1 } }, stored, error(9534700)],
  ]);
});

describe('variables', () => {
  const stored = { a: 1, o: { a: 2, b: [{ c: 3 }] } };
  const within = (expression: unknown, current: unknown = '$o') => ({
    $let: { vars: { CURRENT: current }, in: expression },
  });
  computes([
    // A path without a variable is one of CURRENT.
    [within('$a'), stored, 2],
    [within('$b.c'), stored, [3]],
    [within(['$$ROOT.a', '$$CURRENT.a']), stored, [1, 2]],
    [within({ $getField: 'a' }), stored, 2],
    [within(within('$c', { c: '$a' })), stored, 2],
    [within('$a', '$nothing'), stored, MISSING],
    [{ $map: { input: '$o.b', as: 'CURRENT', in: '$c' } }, stored, [3]],
    ['$$_underbar', stored, error(9)],
    ['$$with spaces', stored, error(9)],
    ['$$1', stored, error(9)],
    ['$$Nobody', stored, error(17276)],
    ['$$ROOT.', stored, error(40353)],
    ['$$ROOT..a', stored, error(15998)],
    ['$$ROOT.$a', stored, error(16410)],
  ]);
});

describe('of several arguments of one name the last counts, when they are checked as when they are compiled', () => {
  test.for([
    [{ $let: { vars: {}, varz: 5, in: 1 } }, 'varz', 'vars', 10065],
    [{ $switch: { branches: [ordered(['case', true], ['then', 1])], branchez: 5 } }, 'branchez', 'branches', 40061],
    [{ $map: { input: [1], in: 1, as: 'x', az: 5 } }, 'az', 'as', 9],
  ] as const)('$2', ([expression, written, name, code]) => {
    const value = val(expression);
    const bytes = Buffer.from(value.bytes);
    bytes.write(name, bytes.indexOf(written));
    expect(() => compileExpression({ ...value, bytes }, new Map())).toThrow(
      expect.objectContaining({ constructor: CommandError, code }),
    );
  });
});
