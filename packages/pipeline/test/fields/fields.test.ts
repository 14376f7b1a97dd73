import { encodeDocument, InvariantError } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { Fields } from '../../src/fields/fields.ts';

/** So many fields: f0: 0, f1: 1 … */
function counted(count: number): [name: string, value: number][] {
  return Array.from({ length: count }, (_, i) => [`f${i}`, i]);
}

function fieldsOf(entries: readonly [string, unknown][]): Fields {
  return new Fields(encodeDocument(new Map(entries)), 'doc');
}

// They are looked up in two ways, by how many there are.
describe.for([0, 1, 24, 25, 26, 200])('%i fields', (count) => {
  test('are all found, in order', () => {
    const entries = counted(count);
    const fields = fieldsOf(entries);
    expect(fields.names).toEqual(entries.map(([name]) => name));
    for (const [name, value] of entries) expect([fields.has(name), fields.number(name)]).toEqual([true, value]);
    expect([fields.has('g'), fields.value('g'), fields.rawValue('g')]).toEqual([false, undefined, undefined]);
  });

  test('one that is there twice is an error', () => {
    expect(() => new Fields(twice(counted(Math.max(count, 1))), 'doc')).toThrow(
      "BSON field 'doc.f0' is a duplicate field",
    );
  });
});

test('a field that is known to be there is there, null too, or the message says which is not', () => {
  const fields = fieldsOf([['f', null]]);
  expect(fields.presentValue('f')).toEqual(fields.rawValue('f'));
  expect(() => fields.presentValue('g')).toThrow(new InvariantError('doc has no field "g"'));
});

/** The same document, with its first field once more at the end. */
function twice(entries: readonly [string, number][]): Uint8Array {
  const body = encodeDocument(new Map(entries));
  const again = encodeDocument(new Map(entries.slice(0, 1)));
  const bytes = new Uint8Array(body.length + again.length - 5);
  bytes.set(body.subarray(0, -1));
  bytes.set(again.subarray(4), body.length - 1);
  new DataView(bytes.buffer).setInt32(0, bytes.length, true);
  return bytes;
}
