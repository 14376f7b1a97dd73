import type { MemberState } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { inLegacyWords, refusal } from '../../src/requests/refusal.ts';

const write = { secondaries: 'never', maintenanceOk: false } as const;
const read = { secondaries: 'optIn', maintenanceOk: false } as const;
const status = { secondaries: 'always', maintenanceOk: true } as const;
const hash = { secondaries: 'always', maintenanceOk: false } as const;

const RECOVERING = 'node is recovering';
const NEITHER = 'node is not in primary or recovering state';

// `secondaryOk` is a read preference other than primary.
test.for([
  // A writable primary answers everything, and so does a standalone.
  { command: write, state: 'PRIMARY', writableHere: true, code: undefined },
  { command: read, state: 'PRIMARY', writableHere: true, code: undefined },
  { command: read, state: 'STANDALONE', writableHere: true, code: undefined },
  // `local` may be written anywhere.
  { command: write, state: 'RECOVERING', writableHere: true, code: undefined },
  // A write is 10107 on every other member, whatever its state.
  { command: write, state: 'SECONDARY', code: 10107, errmsg: 'not primary' },
  { command: write, state: 'RECOVERING', code: 10107, errmsg: 'not primary' },
  { command: write, state: 'STARTUP', secondaryOk: true, code: 10107, errmsg: 'not primary' },
  // A primary's read is 13435 even on a member that could not serve it anyway.
  { command: read, state: 'SECONDARY', code: 13435, errmsg: 'not primary and secondaryOk=false' },
  { command: read, state: 'RECOVERING', code: 13435, errmsg: 'not primary and secondaryOk=false' },
  { command: read, state: 'ROLLBACK', code: 13435, errmsg: 'not primary and secondaryOk=false' },
  // Only reads that opted in see 13436.
  { command: read, state: 'SECONDARY', secondaryOk: true, code: undefined },
  { command: read, state: 'RECOVERING', secondaryOk: true, code: 13436, errmsg: RECOVERING },
  { command: read, state: 'STARTUP', secondaryOk: true, code: 13436, errmsg: NEITHER },
  { command: read, state: 'STARTUP2', secondaryOk: true, code: 13436, errmsg: NEITHER },
  { command: read, state: 'ROLLBACK', secondaryOk: true, code: 13436, errmsg: NEITHER },
  { command: read, state: 'ARBITER', secondaryOk: true, code: 13436, errmsg: NEITHER },
  { command: read, state: 'REMOVED', secondaryOk: true, code: 13436, errmsg: NEITHER },
  // Elected, still catching up or draining.
  { command: write, state: 'PRIMARY', code: 10107, errmsg: 'not primary' },
  { command: read, state: 'PRIMARY', code: 13435, errmsg: 'not primary and secondaryOk=false' },
  { command: read, state: 'PRIMARY', secondaryOk: true, code: undefined },
  // What every member answers.
  { command: status, state: 'STARTUP', code: undefined },
  { command: status, state: 'ROLLBACK', code: undefined },
  { command: hash, state: 'SECONDARY', code: undefined },
  { command: hash, state: 'RECOVERING', code: 13436, errmsg: RECOVERING },
  { command: hash, state: 'PRIMARY', code: undefined },
  // In a transaction nobody opts in.
  { command: read, state: 'SECONDARY', secondaryOk: true, inTransaction: true, code: 10107, errmsg: 'not primary' },
] as const)('%o', (row) => {
  const { command, state, code } = row;
  const writableHere = 'writableHere' in row;
  const secondaryOk = 'secondaryOk' in row;
  const inTransaction = 'inTransaction' in row;
  const error = refusal({ command, writableHere, state: state as MemberState, secondaryOk, inTransaction });
  expect(error?.code).toBe(code);
  expect(error?.message).toBe('errmsg' in row ? row.errmsg : undefined);
});

// The oplog is in `local`, which may be read anywhere; but not while it may be cut or has holes.
test.for([
  { state: 'STARTUP', code: 13436 },
  { state: 'STARTUP2', code: 13436 },
  { state: 'ROLLBACK', code: 13436 },
  { state: 'RECOVERING', code: undefined },
  { state: 'SECONDARY', code: undefined },
  { state: 'PRIMARY', code: undefined },
  { state: 'STANDALONE', code: undefined },
] as const)('reading the oplog in $state: $code', ({ state, code }) => {
  const asked = { command: read, writableHere: true, state, secondaryOk: false };
  expect(refusal({ ...asked, ns: 'local.oplog.rs' })?.code).toBe(code);
  expect(refusal({ ...asked, ns: 'local.system.replset' })?.code).toBeUndefined();
});

test.for([
  ['not primary', 'not master'],
  ['not primary and secondaryOk=false', 'not master and slaveOk=false'],
  ['node is recovering', 'node is recovering'],
] as const)('"%s" is "%s" for a client that never said helloOk', ([now, before]) => {
  expect(inLegacyWords(now)).toBe(before);
});
