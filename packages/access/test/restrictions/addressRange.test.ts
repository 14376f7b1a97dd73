import { expect, test } from 'vitest';
import { isInRange, parseRange } from '../../src/restrictions/addressRange.ts';

test.for([
  ['127.0.0.1', '127.0.0.1', true],
  ['127.0.0.1', '127.0.0.2', false],
  ['10.0.0.0/8', '10.255.1.2', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.1.128.0/17', '10.1.200.1', true],
  ['10.1.128.0/17', '10.1.127.255', false],
  ['0.0.0.0/0', '203.0.113.7', true],
  ['0.0.0.0/0', '::1', false],
  ['::1', '::1', true],
  ['2001:db8::/32', '2001:db8:1:2:3:4:5:6', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['127.0.0.0/8', '::ffff:127.0.0.1', true],
  ['::ffff:10.0.0.0/104', '10.0.0.1', false],
  ['127.0.0.1', '/tmp/mongodb-27017.sock', false],
] as const)('%s and %s: %s', ([range, address, inside]) => {
  expect(isInRange(address, parseRange(range)!)).toBe(inside);
});

test.for([
  '',
  '1.2.3',
  '1.2.3.256',
  '1.2.3.4/33',
  '1.2.3.4/',
  '::1/129',
  ':::1',
  '1::2::3',
  '12345::',
  'localhost',
  '1:2:3',
])('%o is no range', (text) => {
  expect(parseRange(text)).toBeUndefined();
});
