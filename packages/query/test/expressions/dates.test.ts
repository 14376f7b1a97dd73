import { BsonType, readInt64, required } from '@replsim/protocol';
import { Decimal128, Long, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf, localOf, zoneNamed } from '../../src/expressions/dates/zones.ts';
import { show, val } from '../bson.ts';
import { at, check, compute, d, int, long, NEW_YORK, type Row, table } from './dateTable.ts';

// Upstream: expression.cpp, evaluate_date.cpp, date_time_support.cpp, timelib; jstests/aggregation/expressions/date*.js.

describe('parts', () => {
  table([
    [{ $year: '$d' }, int(2024)],
    [{ $month: '$d' }, int(1)],
    [{ $dayOfMonth: '$d' }, int(31)],
    [{ $dayOfWeek: '$d' }, int(4)],
    [{ $dayOfYear: '$d' }, int(31)],
    [{ $hour: '$d' }, int(10)],
    [{ $minute: '$d' }, int(20)],
    [{ $second: '$d' }, int(30)],
    [{ $millisecond: '$d' }, int(456)],
    [{ $week: '$d' }, int(4)],
    [{ $isoWeek: '$d' }, int(5)],
    [{ $isoWeekYear: '$d' }, long(2024)],
    [{ $isoDayOfWeek: '$d' }, int(3)],
    // The first Sunday begins week 1, and Thursday says to which year a week belongs.
    [{ $week: at('2007-01-01') }, int(0)],
    [{ $week: { date: at('2007-01-01'), timezone: NEW_YORK } }, int(53)],
    [{ $week: at('1969-12-28') }, int(52)],
    [{ $isoWeek: at('2005-01-01') }, int(53)],
    [{ $isoWeekYear: at('1969-12-30T13:42:24Z') }, long(1970)],
    [{ $isoWeekYear: at('1966-01-01') }, long(1965)],
    [{ $dayOfYear: at('1900-12-31') }, int(365)],
    [{ $dayOfYear: at('1960-12-31') }, int(366)],
    [{ $isoDayOfWeek: at('1969-12-28') }, int(7)],
    // Before 1970 too, milliseconds count on.
    [{ $millisecond: new Date(-123_456_789) }, int(211)],
    [{ $second: new Date(-123_456_789) }, int(23)],
    // Of whatever has a time.
    [{ $year: { $literal: new Timestamp({ t: 0xffffffff, i: 1 }) } }, int(2106)],
    [{ $year: new ObjectId('507c7f79bcf86cd7994f6c0e') }, int(2012)],
    [{ $year: new ObjectId('ffffffffbcf86cd7994f6c0e') }, int(1969)],
    [{ $year: ['$d'] }, int(2024)],
    [{ $hour: { date: '$d', timezone: NEW_YORK } }, int(5)],
    [{ $hour: { date: '$d', timezone: '+0530' } }, int(15)],
    [{ $minute: { date: '$d', timezone: '-05:45' } }, int(35)],
    [{ $hour: { date: '$d', timezone: '-11' } }, int(23)],
    [{ $hour: { $add: ['$d', 3_600_000] } }, int(11)],
    [{ $year: '$n' }, null],
    [{ $year: '$nothing' }, null],
    [{ $year: { date: '$d', timezone: '$n' } }, null],
    [{ $year: { date: '$n', timezone: 5 } }, null],
    [{ $year: 'x' }, 16006],
    [{ $year: int(5) }, 16006],
    [{ $year: ['$d', '$d'] }, 40536],
    [{ $year: [] }, 40536],
    [{ $year: { date: '$d', zone: 1 } }, 40535],
    [{ $year: { timezone: 'UTC' } }, 40539],
    [{ $year: { date: '$d', timezone: 5 } }, 40517],
    [{ $year: { date: '$d', timezone: 'Nowhere/At_All' } }, 40485],
    [{ $year: [{ date: '$d' }] }, 16006],
    [{ $tsSecond: '$ts' }, long(4_000_000_000), { ts: new Timestamp({ t: 4_000_000_000, i: 7 }) }],
    [{ $tsIncrement: '$ts' }, long(7), { ts: new Timestamp({ t: 4_000_000_000, i: 7 }) }],
    [{ $tsSecond: '$nothing' }, null],
    [{ $tsSecond: '$d' }, 5687301],
    [{ $tsIncrement: '$d' }, 5687302],
    [{ $tsSecond: [1, 2] }, 16020],
  ]);

  table(
    ['123', '1234', '-123', '-12*34', '-1:23', '+12:3', '+0x4', 'america/new_york', 'us/eastern', 'Z', ''].map(
      (timezone): Row => [{ $hour: { date: '$d', timezone } }, 40485],
    ),
  );

  test('a date that JavaScript has not is one', () => {
    const far = { $dateAdd: { startDate: new Date(8.64e15), unit: 'year', amount: 200_000 } };
    const date = required(compute(far), 'a date');
    expect(date.type).toBe(BsonType.date);
    expect(readInt64(date.bytes, date.offset)).toBe(14_951_390_400_000_000n);
    check([{ $year: far }, int(475_760)]);
    check([{ $hour: { date: far, timezone: 'Asia/Kolkata' } }, int(5)]);
  });
});

describe('$dateToParts', () => {
  const iso = { isoWeekYear: int(2024), isoWeek: int(5), isoDayOfWeek: int(3) };
  const time = { hour: int(10), minute: int(20), second: int(30), millisecond: int(456) };
  table([
    [{ $dateToParts: { date: '$d' } }, { year: int(2024), month: int(1), day: int(31), ...time }],
    [{ $dateToParts: { date: '$d', iso8601: true } }, { ...iso, ...time }],
    [{ $dateToParts: { date: '$d', iso8601: false, timezone: '-11' } }, { year: int(2024), month: int(1), day: int(30), ...time, hour: int(23) }], // biome-ignore format: one line
    [{ $dateToParts: { date: '$n' } }, null],
    [{ $dateToParts: { date: '$d', iso8601: null } }, null],
    [{ $dateToParts: { date: 5, timezone: null } }, null],
    [{ $dateToParts: { date: '$d', iso8601: 'x' } }, 40521],
    [{ $dateToParts: { date: '$d', timezone: 'x' } }, 40485],
    [{ $dateToParts: { date: '$n', timezone: 'x' } }, 40485],
    [{ $dateToParts: { date: 'x' } }, 16006],
    [{ $dateToParts: { timezone: 'UTC' } }, 40522],
    [{ $dateToParts: '$d' }, 40524],
    [{ $dateToParts: { date: '$d', zone: 1 } }, 40520],
  ]);
});

describe('$dateAdd and $dateSubtract', () => {
  const add = (startDate: unknown, unit: unknown, amount: unknown, timezone?: unknown) => ({
    $dateAdd: { startDate, unit, amount, ...(timezone !== undefined && { timezone }) },
  });
  const subtract = (...args: Parameters<typeof add>) => ({ $dateSubtract: add(...args).$dateAdd });
  table([
    // A month that is too short ends with its last day.
    [add(at('2024-01-31'), 'month', 1), at('2024-02-29')],
    [add(at('2023-01-31'), 'month', 1), at('2023-02-28')],
    [add(at('2023-11-30'), 'quarter', 1), at('2024-02-29')],
    [add(at('2024-02-29'), 'year', 1), at('2025-02-28')],
    [add(at('2024-02-29'), 'year', 4), at('2028-02-29')],
    [subtract(at('2024-03-31'), 'month', 1), at('2024-02-29')],
    [subtract(at('2020-12-31T12:10:05Z'), 'month', 3), at('2020-09-30T12:10:05Z')],
    [subtract(at('2020-12-31T12:10:05Z'), 'year', 2), at('2018-12-31T12:10:05Z')],
    [add(at('2020-12-31T12:10:05Z'), 'month', -13), at('2019-11-30T12:10:05Z')],
    [subtract(at('2021-01-31T03:00:00Z'), 'month', 2, NEW_YORK), at('2020-12-01T03:00:00Z')],
    [add(at('2021-01-30T23:30:00Z'), 'month', 1, 'Europe/Paris'), at('2021-02-27T23:30:00Z')],
    // A day leaves the clock where it is, 24 hours do not.
    [add(at('2020-10-24T18:10:00Z'), 'day', 1, 'Europe/Paris'), at('2020-10-25T19:10:00Z')],
    [add(at('2020-10-24T18:10:00Z'), 'hour', 24, 'Europe/Paris'), at('2020-10-25T18:10:00Z')],
    [add(at('2024-03-09T17:00:00Z'), 'day', 1, NEW_YORK), at('2024-03-10T16:00:00Z')],
    [add(at('2024-03-09T17:00:00Z'), 'week', 1, NEW_YORK), at('2024-03-16T16:00:00Z')],
    // What a clock skips comes an hour later, and what it shows twice it shows as before.
    [add(at('2024-03-09T07:30:00Z'), 'day', 1, NEW_YORK), at('2024-03-10T07:30:00Z')],
    [add(at('2024-11-02T05:30:00Z'), 'day', 1, NEW_YORK), at('2024-11-03T05:30:00Z')],
    [subtract(at('2024-11-04T06:30:00Z'), 'day', 1, NEW_YORK), at('2024-11-03T06:30:00Z')],
    [add(at('2020-11-01T05:50:02Z'), 'hour', 1, NEW_YORK), at('2020-11-01T06:50:02Z')],
    [add(at('2020-12-31T12:10:05Z'), 'minute', -20), at('2020-12-31T11:50:05Z')],
    [add(at('2020-12-31T12:10:05Z'), 'millisecond', 1050), at('2020-12-31T12:10:06.050Z')],
    [add(d, 'day', long(1)), at('2024-02-01T10:20:30.456Z')],
    [add(d, 'day', Decimal128.fromString('1')), at('2024-02-01T10:20:30.456Z')],
    [add(new ObjectId('507c7f79bcf86cd7994f6c0e'), 'second', 1), at('2012-10-15T21:26:18Z')],
    // Nothing before anything else.
    [add('$n', 'foo', 1), null],
    [add('x', '$n', 1), null],
    [add('$d', 'day', '$n', 'Unknown'), null],
    [add('x', 'day', 1.5, null), null],
    [add('$d', 'foo', 1), 9],
    [add('$d', 'days', 1), 9],
    [add('$d', 5, 1), 5439013],
    [add('x', 'day', 1), 5166403],
    [add('$d', 'day', 1.5), 5166405],
    [add('$d', 'day', 'x'), 5166405],
    [add('$d', 'day', 1, 'Unknown'), 40485],
    [subtract('$d', 'month', 12 * 300_000_000), 5166406],
    [subtract('$d', 'month', -30_000_000_000), 5976500],
    [subtract('$d', 'day', Long.MIN_VALUE), 6045000],
    [add('$d', 'millisecond', Long.MAX_VALUE), 5166406],
    [{ $dateAdd: { startDate: '$d', unit: 'day' } }, 5166402],
  ]);
});

describe('$dateDiff', () => {
  const diff = (startDate: unknown, endDate: unknown, unit: unknown, more: object = {}) => ({
    $dateDiff: { startDate, endDate, unit, ...more },
  });
  const [start, end] = [at('2020-11-01T18:23:36Z'), at('2020-11-02T00:00:00Z')];
  const sunday = [at('2021-01-24T18:23:36Z'), at('2021-01-25T02:23:36Z')] as const;
  table([
    [diff(start, end, 'hour'), long(6)],
    [diff(start, end, 'hour', { timezone: NEW_YORK, startOfWeek: 'IGNORED' }), long(6)],
    [diff(end, start, 'hour'), long(-6)],
    [diff(start, end, 'day'), long(1)],
    [diff(start, end, 'day', { timezone: NEW_YORK }), long(0)],
    [diff(at('2020-12-31'), at('2021-01-01'), 'year'), long(1)],
    [diff(at('2020-12-31'), at('2021-01-01'), 'quarter'), long(1)],
    [diff(at('2020-03-01'), at('2021-01-01'), 'month'), long(10)],
    [diff(at('2020-03-01T00:00:59.999Z'), at('2020-03-01T00:01:00Z'), 'minute'), long(1)],
    [diff(at('1969-12-31T23:59:59.999Z'), at('1970-01-01'), 'second'), long(1)],
    [diff(at('1970-01-01'), d, 'millisecond'), long(d.getTime())],
    // An hour that the clock shows twice has passed twice.
    [diff(at('2020-11-01T04:00:00Z'), at('2020-11-01T07:00:00Z'), 'hour', { timezone: NEW_YORK }), long(3)],
    [diff(...sunday, 'week'), long(0)],
    [diff(...sunday, 'week', { startOfWeek: 'MONDAY' }), long(1)],
    [diff(at('2021-01-17T05:00:00Z'), at('2021-01-17T04:59:00Z'), 'week', { timezone: NEW_YORK, startOfWeek: 'sun' }), long(-1)], // biome-ignore format: one line
    [diff('$nothing', 1, 'century', { timezone: 'x' }), null],
    [diff(1, 2, '$n'), null],
    [diff(1, 2, 'century', { timezone: '$n' }), null],
    [diff(1, 2, 'week', { timezone: null, startOfWeek: 'FRIDIE' }), null],
    [diff(1, 2, 'week', { startOfWeek: null }), null],
    [diff(1, 2, 'hour', { timezone: null }), null],
    [diff('x', end, 'hour'), 5166307],
    [diff(start, int(1), 'hour'), 5166307],
    [diff(start, end, 5), 5439013],
    [diff(start, end, 'decade'), 9],
    [diff(start, end, 'week', { startOfWeek: 1 }), 5439015],
    [diff(start, end, 'hour', { startOfWeek: 1 }), long(6)],
    [diff(start, end, 'week', { startOfWeek: 'FRIDIE' }), 5439016],
    [diff(start, end, 'hour', { timezone: 1 }), 40517],
    [{ $dateDiff: { startDate: 1, endDate: 2 } }, 5166305],
  ]);
});

describe('$dateTrunc', () => {
  const trunc = (date: unknown, unit: unknown, more: object = {}) => ({ $dateTrunc: { date, unit, ...more } });
  table([
    [trunc(at('2024-02-01T03:00:00Z'), 'month', { timezone: NEW_YORK }), at('2024-01-01T05:00:00Z')],
    [trunc(at('2024-07-04T03:00:00Z'), 'day', { timezone: NEW_YORK }), at('2024-07-03T04:00:00Z')],
    [trunc(at('2020-11-01T18:23:36Z'), 'hour', { binSize: 2 }), at('2020-11-01T18:00:00Z')],
    [trunc(at('2021-12-01T18:23:36Z'), 'hour', { binSize: 4, timezone: NEW_YORK, startOfWeek: 'x' }), at('2021-12-01T17:00:00Z')], // biome-ignore format: one line
    [trunc(at('2021-02-15T18:23:36Z'), 'week'), at('2021-02-14')],
    [trunc(at('2000-01-30T18:00:00Z'), 'week', { binSize: 2, timezone: NEW_YORK, startOfWeek: 'mon' }), at('2000-01-17T05:00:00Z')], // biome-ignore format: one line
    [trunc(at('1999-12-31'), 'week', { startOfWeek: 'saturday' }), at('1999-12-25')],
    [trunc(d, 'quarter'), at('2024-01-01')],
    [trunc(d, 'year', { binSize: 10 }), at('2020-01-01')],
    [trunc(at('1995-05-05'), 'year', { binSize: 10 }), at('1990-01-01')],
    [trunc(d, 'day', { binSize: 7 }), at('2024-01-27')],
    [trunc(new ObjectId('507c7f79bcf86cd7994f6c0e'), 'minute', { binSize: 10 }), at('2012-10-15T21:20:00Z')],
    [
      trunc('$ts', 'second', { binSize: 10 }),
      at('2012-10-15T21:26:10Z'),
      { ts: new Timestamp({ t: 1350336377, i: 0 }) },
    ],
    [trunc(at('2020-01-30T18:59:00Z'), 'minute', { binSize: Decimal128.fromString('15') }), at('2020-01-30T18:45:00Z')],
    [trunc(new Date(-1), 'millisecond', { binSize: long(1000) }), new Date(-1000)],
    [trunc('$n', 'H', { binSize: 'x' }), null],
    [trunc('x', 'foo', { binSize: null }), null],
    [trunc('x', '$n'), null],
    [trunc('x', 'week', { startOfWeek: null }), null],
    [trunc('x', 'day', { timezone: null }), null],
    [trunc('x', 'day'), 5439012],
    [trunc('$d', 1), 5439013],
    [trunc('$d', 'century'), 9],
    [trunc('$d', 'hour', { binSize: 'x' }), 5439017],
    [trunc('$d', 'hour', { binSize: 2.5 }), 5439017],
    [trunc('$d', 'hour', { binSize: 0 }), 5439018],
    [trunc('$d', 'hour', { binSize: Long.MAX_VALUE }), 5439002],
    [trunc('$d', 'day', { binSize: Long.MAX_VALUE }), 5439006],
    [trunc('$d', 'day', { timezone: 'x' }), 40485],
  ]);
});

test('there and back again, in every zone', () => {
  const zone = fc.constantFrom('UTC', NEW_YORK, 'Europe/Paris', 'Australia/Lord_Howe', 'Asia/Kathmandu', '-0730');
  const instant = fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n });
  fc.assert(
    fc.property(zone, instant, (name, ms) => {
      const where = zoneNamed(name);
      expect(instantOf(where, localOf(where, ms), where.offsetAt(ms))).toBe(ms);
    }),
  );
});

test('the calendar is that of JavaScript', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      const parts = compute({ $dateToParts: { date: '$date' } }, { date });
      const back = compute({ $dateFromParts: { year: 2000, millisecond: '$ms' } }, { ms: Long.fromNumber(date.getTime() - Date.UTC(2000)) }); // biome-ignore format: one line
      const names = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond'];
      const values = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCMilliseconds()]; // biome-ignore format: one line
      expect(parts && show(parts)).toBe(show(val(Object.fromEntries(names.map((name, i) => [name, int(values[i]!)])))));
      expect(back && show(back)).toBe(show(val(date)));
    }),
  );
});
