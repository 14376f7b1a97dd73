import { expect, test } from 'vitest';
import { isIpAddress, otherSpellings } from '../src/index.ts';

test.for<[hosts: string[], machineNames: string[], others: string[][]]>([
  [['n1:27017'], [], [[]]],
  [['n1:27017'], ['box'], [[]]],
  [['127.0.0.1:1'], [], [['localhost:1', '[::1]:1', '127.0.1.1:1']]],
  [['localhost:1'], ['box'], [['127.0.0.1:1', '[::1]:1', '127.0.1.1:1', 'box:1']]],
  [['[::1]:1'], [], [['localhost:1', '127.0.0.1:1', '127.0.1.1:1']]],
  [['box:1'], ['box'], [['localhost:1', '127.0.0.1:1', '[::1]:1', '127.0.1.1:1']]],
  // Whoever listens elsewhere means to be told apart.
  [['127.0.0.2:1'], ['box'], [[]]],
  // What is somebody's own spelling is nobody else's, and no spelling is two members'.
  [['127.0.0.1:1', 'localhost:1'], [], [['[::1]:1', '127.0.1.1:1'], []]],
  [['localhost'], ['box'], [[]]],
  // Names are resolved whatever their case.
  [['BOX:1'], ['box'], [['localhost:1', '127.0.0.1:1', '[::1]:1', '127.0.1.1:1']]],
])('other spellings of %j, on a machine that is also called %j', ([hosts, machineNames, others]) => {
  expect(otherSpellings(hosts, machineNames)).toEqual(others);
});

test.for([
  ['127.0.0.1:1', true],
  ['[::1]:1', true],
  ['10.0.0.1', true],
  ['n1:1', false],
  ['10.0.0.1.example:1', false],
] as const)('%s is an address: %s', ([host, is]) => {
  expect(isIpAddress(host)).toBe(is);
});
