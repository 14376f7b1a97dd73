import { type CommandError, decodeDocument, encodeDocument } from '@replsim/protocol';
import { Binary, Decimal128, Double, Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EventPlace, eventToken, highWaterMark, parseToken, type TokenVersion } from '../src/resumeToken.ts';
import { identifier, place, uuid, ZEROS } from './tokens.ts';

const at = (t: number, i: number) => ({ t, i });
const orders = uuid('adb3eafe-ebcf-4236-83be-8cf7cbc7f1d2');
const dropDatabase = { clusterTime: at(0x6aaa2a78, 2), uuid: undefined, identifier: identifier('dropDatabase') };

interface Seen {
  readonly what: string;
  readonly place: EventPlace;
  readonly version?: TokenVersion;
  readonly data: string;
  readonly typeBits?: number[];
}

/** Tokens that a mongod gave to somebody, and what they say. */
const seen: Seen[] = [
  {
    what: 'an insert, in the manual',
    place: place({
      clusterTime: at(1666193824, 1),
      uuid: uuid('ab1154ac-acd8-49a4-8c61-756d70d3b21f'),
      identifier: identifier('insert', { key: { _id: new ObjectId('635019a078be67426d7cf4d2') } }),
    }),
    data: '82635019A0000000012B042C0100296E5A1004AB1154ACACD849A48C61756D70D3B21F463C6F7065726174696F6E54797065003C696E736572740046646F63756D656E744B65790046645F69640064635019A078BE67426D7CF4D2000004',
  },
  {
    what: 'the 500th operation of a group',
    place: place({
      clusterTime: at(1743206216, 34),
      txnOpIndex: 499,
      uuid: uuid('f3acb4aa-4de1-47a0-b0f5-f541701e4310'),
      identifier: identifier('insert', { key: { _id: new ObjectId('67e7374793a5a7d34207f732') } }),
    }),
    data: '8267E73748000000222B042C01002C03E66E5A1004F3ACB4AA4DE147A0B0F5F541701E4310463C6F7065726174696F6E54797065003C696E736572740046646F63756D656E744B65790046645F6964006467E7374793A5A7D34207F732000004',
  },
  {
    what: 'dropDatabase',
    place: place(dropDatabase),
    data: '826AAA2A78000000022B042C0100296E14463C6F7065726174696F6E54797065003C64726F704461746162617365000004',
  },
  {
    what: 'its invalidation',
    place: place({ ...dropDatabase, fromInvalidate: true }),
    data: '826AAA2A78000000022B042C0100296F14463C6F7065726174696F6E54797065003C64726F704461746162617365000004',
  },
  {
    what: 'a rename',
    place: place({
      clusterTime: at(0x6aaa2a72, 1),
      uuid: orders,
      identifier: identifier('rename', { description: { to: { db: 'ddd73_replica', coll: 'orders_archive' } } }),
    }),
    data: '826AAA2A72000000012B042C0100296E5A1004ADB3EAFEEBCF423683BE8CF7CBC7F1D2463C6F7065726174696F6E54797065003C72656E616D6500466F7065726174696F6E4465736372697074696F6E004646746F00463C6462003C64646437335F7265706C696361003C636F6C6C003C6F72646572735F617263686976650000000004',
  },
  {
    what: 'a collMod with an int64 in it',
    place: place({
      clusterTime: at(0x6aaa2a6c, 1),
      uuid: orders,
      identifier: identifier('modify', {
        description: { index: { name: 'expiresAt_1', expireAfterSeconds: Long.fromNumber(3600) } },
      }),
    }),
    data: '826AAA2A6C000000012B042C0100296E5A1004ADB3EAFEEBCF423683BE8CF7CBC7F1D2463C6F7065726174696F6E54797065003C6D6F6469667900466F7065726174696F6E4465736372697074696F6E004646696E64657800463C6E616D65003C6578706972657341745F31001E65787069726541667465725365636F6E6473002C1C2000000004',
    typeBits: [0x82, 0x00, 0x02],
  },
  {
    what: 'an event of 4.4',
    version: 1,
    place: place({
      clusterTime: at(0x60687b2d, 2),
      uuid: uuid('20ea7287-c120-4d83-a4ff-da70f869ec56'),
      identifier: identifier('insert', { key: { _id: new ObjectId('60687b2d8faf53467f4cd2b0') } }),
    }),
    data: '8260687B2D000000022B022C0100296E5A100420EA7287C1204D83A4FFDA70F869EC5646645F6964006460687B2D8FAF53467F4CD2B00004',
  },
  {
    what: 'a double as key, of 4.4',
    version: 1,
    place: place({
      clusterTime: at(0x5f103409, 1),
      uuid: uuid('4912d5bb-6655-45b4-8dda-d38fcd774270'),
      identifier: identifier('insert', { key: { _id: new Double(2) } }),
    }),
    data: '825F103409000000012B022C0100296E5A10044912D5BB665545B48DDAD38FCD774270461E5F6964002B040004',
    typeBits: [0x40],
  },
  {
    what: 'an insert with an int32 as key',
    place: place({ identifier: identifier('insert', { key: { _id: 1 } }) }),
    data: '82000003E8000000012B042C0100296E5A100400000000000000000000000000000000463C6F7065726174696F6E54797065003C696E736572740046646F63756D656E744B657900461E5F6964002B02000004',
  },
  {
    what: 'a drop',
    place: place({ clusterTime: at(1000, 2), identifier: identifier('drop') }),
    data: '82000003E8000000022B042C0100296E5A100400000000000000000000000000000000463C6F7065726174696F6E54797065003C64726F70000004',
  },
];

describe('a token says just what a mongod makes it say', () => {
  test.for(seen)('$what', ({ place: of, version, data, typeBits }) => {
    const token = eventToken(of, version);
    expect(token.data).toBe(data);
    expect(decodeDocument(token.document)).toEqual({
      _data: data,
      ...(typeBits && { _typeBits: new Binary(Uint8Array.from(typeBits)) }),
    });
  });

  test.for(seen)('and is read again: $what', ({ place: of, version = 2, data }) => {
    expect(parseToken(encodeDocument({ _data: data }))).toMatchObject({
      data,
      clusterTime: of.clusterTime,
      version,
      isHighWaterMark: false,
      txnOpIndex: of.txnOpIndex,
      fromInvalidate: of.fromInvalidate,
      hasUuid: of.uuid !== undefined,
      fragmentNum: undefined,
    });
  });

  test.for([
    [at(1787596388, 1), 2, '826A8C8E64000000012B0429296E1404'],
    [at(1000, 1), 2, '82000003E8000000012B0429296E1404'],
    [at(1000, 1), 1, '82000003E8000000012B0229296E04'],
  ] as const)('high-water mark %o of version %i', ([clusterTime, version, data]) => {
    expect(highWaterMark(clusterTime, version).data).toBe(data);
    expect(parseToken(encodeDocument({ _data: data.toLowerCase() }))).toMatchObject({
      data,
      clusterTime,
      version,
      isHighWaterMark: true,
      hasUuid: false,
    });
  });
});

test.for<[key: unknown, bytes: string, typeBits?: number[]]>([
  [new Double(11.112), '2B171CAC083126E980', [0x82, 0x80, 0x00]],
  [Long.fromNumber(1), '2B02', [0x82, 0x00, 0x01]],
  [Long.MIN_VALUE, '1FF83FFFFFFFFFFFFF', [0x82, 0x00, 0x01]],
  [new Double(-0), '29', [0x82, 0x80, 0x01]],
  [Decimal128.fromString('2'), '2B04', [0x82, 0x80, 0x03]],
  [Decimal128.fromString('0.5'), '2AFF80000000000000', [0x82, 0x80, 0x7d]],
  [-1, '27FD'],
  [300, '2C0258'],
  ['a\0b', '3C6100FF6200'],
  [null, '14'],
  [true, '6F'],
  [new Date(0), '788000000000000000'],
  [new Date(-1), '787FFFFFFFFFFFFFFF'],
  [[1, [2]], '502B02502B040000'],
  [new Binary(new Uint8Array(300).fill(7), 0), `5AFF0000012C00${'07'.repeat(300)}`],
  [/^a/i, '8C5E6100690000'.slice(0, -2)],
])('a key of %o', ([_id, bytes, typeBits]) => {
  const token = eventToken(place({ identifier: identifier('insert', { key: { _id } }) }));
  const [, key] = token.data.split('5F696400');
  expect(key).toBe(`${bytes}000004`);
  const { _typeBits } = decodeDocument(token.document) as { _typeBits?: Binary };
  expect(_typeBits && [..._typeBits.buffer]).toEqual(typeBits);
  expect(parseToken(token.document).isHighWaterMark).toBe(false);
});

test.for<[token: object, code: number]>([
  [{}, 40647],
  [{ _data: 1 }, 40647],
  [{ _data: '' }, 40649],
  [{ _data: 'xy' }, 9],
  [{ _data: '123' }, 9],
  [{ _data: '82000003E8000000012B0429296E1404', _typeBits: 1 }, 40648],
  [{ _data: '82000003E8000000012B0429296E1404', _typeBits: new Binary(new Uint8Array(1), 5) }, 40648],
  [{ _data: '82000003E8' }, 15],
  [{ _data: '99' }, 50811],
  [{ _data: '82000003E8000000012B042C0100296E143C61' }, 50816],
  [{ _data: '82000003E80000000104' }, 50796],
  [{ _data: '82000003E8000000016E04' }, 50854],
  [{ _data: '82000003E8000000012B0604' }, 50795],
  [{ _data: '82000003E8000000012B0404' }, 51055],
  [{ _data: '82000003E8000000012B046E04' }, 51056],
  [{ _data: '82000003E8000000012B042B0204' }, 51057],
  [{ _data: '82000003E8000000012B042904' }, 50793],
  [{ _data: '82000003E8000000012B04296E04' }, 50855],
  [{ _data: '82000003E8000000012B042927FD04' }, 50794],
  [{ _data: '82000003E8000000012B04292904' }, 50872],
  [{ _data: '82000003E8000000012B0429292904' }, 50870],
  [{ _data: '82000003E8000000012B0429296E04' }, 6189500],
  [{ _data: '82000003E8000000012B0429296E14460004' }, 6189504],
  [{ _data: '82000003E8000000012B042C0100296E1404' }, 6189501],
  [{ _data: '82000003E8000000012B042C0100296E142904' }, 6189503],
  [{ _data: '82000003E8000000012B042C0100296E1446006E04' }, 7182501],
  [{ _data: '82000003E8000000012B042C0100296E144600292904' }, 40646],
])('the token %o is refused with %i', ([token, code]) => {
  expect(codeOf(() => parseToken(encodeDocument(token as never)))).toBe(code);
});

function codeOf(action: () => unknown): number | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as CommandError).code;
  }
}

test('the token of a part of an event names the whole event', () => {
  const of = place({ identifier: identifier('insert', { key: { _id: 1 } }) });
  const read = parseToken(eventToken({ ...of, fragmentNum: 3 }).document);
  expect(read).toMatchObject({ fragmentNum: 3, eventData: eventToken(of).data });
});

const anyTimestamp = fc.record({
  t: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  i: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});
const anyNumber = fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.double({ min: -10, max: 10, noNaN: true }));

test('tokens are in the order of their times, and of their keys', () => {
  fc.assert(
    fc.property(anyTimestamp, anyTimestamp, (a, b) => {
      const expected = Math.sign(a.t - b.t || a.i - b.i);
      expect(compare(highWaterMark(a).data, highWaterMark(b).data)).toBe(expected);
      const mark = highWaterMark(a).data;
      expect(compare(mark, eventToken(place({ clusterTime: a, identifier: identifier('drop') })).data)).toBe(-1);
    }),
  );
  fc.assert(
    fc.property(anyNumber, anyNumber, (a, b) => {
      const token = (n: number) =>
        eventToken(place({ uuid: ZEROS, identifier: identifier('insert', { key: { _id: new Double(n) } }) })).data;
      expect(compare(token(a), token(b))).toBe(Math.sign(a === b ? 0 : a - b > 0 ? 1 : -1));
    }),
  );
});

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

test.for([0, 1, 2] as const)('the token of a DDL event bears its description, in version %i too', (version) => {
  const tokenOf = (description: object) =>
    eventToken(place({ identifier: identifier('create', { description }) }), version).data;
  expect(tokenOf({ a: 1 })).not.toBe(tokenOf({ a: 2 }));
});
