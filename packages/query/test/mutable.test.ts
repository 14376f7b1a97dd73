import { BsonWriter, ElementCursor } from '@replsim/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { intValue } from '../src/arithmetic.ts';
import { MutableNode, putAt, removeAt } from '../src/update/mutable.ts';
import { documentValue } from '../src/values.ts';

type Field = readonly [name: string, value: number];

/** Names occur twice, which nothing forbids. */
function documentOf(fields: readonly Field[]): Uint8Array {
  const writer = new BsonWriter();
  for (const [name, value] of fields) writer.int32(name, value);
  return writer.finish();
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  const cursor = new ElementCursor(bytes);
  while (cursor.next()) fields.push([cursor.name, cursor.value().bytes[cursor.offset]!]);
  return fields;
}

// Above and below the number of fields from which places are kept.
const name = fc.integer({ min: 0, max: 40 }).map((i) => `f${i}`);
const value = fc.integer({ min: 0, max: 100 });
const fields = fc.array(fc.tuple(name, value), { maxLength: 60 });
const change = fc.oneof(
  fc.record({ what: fc.constant('put' as const), name, value }),
  fc.record({ what: fc.constant('remove' as const), name }),
  fc.record({ what: fc.constant('ask' as const), name }),
  fc.record({ what: fc.constant('list' as const), name }),
);

test('puts, removals and questions in any order do what they do to a plain list', () => {
  fc.assert(
    fc.property(fields, fc.array(change, { maxLength: 40 }), (before, changes) => {
      const node = new MutableNode(documentValue(documentOf(before)));
      const list = before.map(([name, value]) => ({ name, value }));
      const placeOf = (name: string) => list.findIndex((each) => each.name === name);
      for (const each of changes) {
        const place = placeOf(each.name);
        if (each.what === 'put') {
          putAt(node, [each.name], intValue(each.value));
          if (place < 0) list.push({ name: each.name, value: each.value });
          else list[place] = { name: each.name, value: each.value };
        } else if (each.what === 'remove') {
          removeAt(node, [each.name]);
          if (place >= 0) list.splice(place, 1);
        } else if (each.what === 'ask') {
          expect(node.child(each.name) !== undefined).toBe(place >= 0);
          expect(node.hasTwice(each.name)).toBe(list.filter((other) => other.name === each.name).length > 1);
          if (place < 0) continue;
          const { fields, before } = node.around(each.name);
          const near = list.slice(Math.max(0, place - 2), place + 2).map((other) => other.name);
          expect([fields.map((other) => other.name), before]).toEqual([near, Math.min(2, place)]);
        } else expect(node.children().map((other) => other.name)).toEqual(list.map((other) => other.name));
      }
      expect(fieldsOf(node.value().bytes)).toEqual(list.map(({ name, value }) => [name, value]));
    }),
  );
});
