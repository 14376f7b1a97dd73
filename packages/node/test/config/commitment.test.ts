import { NULL_OP_TIME, type OpTime, type ReplSetConfig } from '@replsim/protocol';
import { expect, test } from 'vitest';
import {
  isConfigReplicated,
  isOplogCommitted,
  type MemberProgress,
  needsOplogCommitment,
} from '../../src/config/commitment.ts';
import { set } from './support.ts';

const at = (t: number, secs: number): OpTime => ({ t, ts: { t: secs, i: 1 } });
const config = (letters: string) => set(letters, 4, 2);

/** All members of a config, with its version, at (10 t2); each change is for one member. */
function progress(of: ReplSetConfig, changes: Readonly<Record<number, Partial<MemberProgress>>> = {}) {
  return of.members.map(({ votes, arbiterOnly }, index): MemberProgress => {
    const position = arbiterOnly ? NULL_OP_TIME : at(2, 10);
    return { votes, arbiterOnly, configVersion: of.version, configTerm: of.term, position, ...changes[index] };
  });
}

const older = { configVersion: 3 };

test.for<[letters: string, behind: number[], replicated: boolean, withQuirk?: boolean]>([
  ['P', [], true],
  ['PSS', [2], true],
  ['PSS', [1, 2], false],
  ['PSA', [1], true],
  ['PSSnn', [1, 2], false],
  ['PSSnn', [3, 4], true],
  ['PSw', [2], true],
  ['PSw', [1], false],
  // Where the count is coded in upstream's way, four and five voters are content with two, seven with three.
  ['PSSS', [2, 3], false, true],
  ['PSSSS', [2, 3, 4], false, true],
  ['PSSSSSS', [3, 4, 5, 6], false, true],
  ['PSSSSSS', [2, 3, 4, 5, 6], false, false],
])('%s without %j: replicated %s', ([letters, behind, replicated, withQuirk = replicated]) => {
  const members = progress(config(letters), Object.fromEntries(behind.map((index) => [index, older])));
  expect(isConfigReplicated(config(letters), members, false)).toBe(replicated);
  expect(isConfigReplicated(config(letters), members, true)).toBe(withQuirk);
});

test('the same version of another term is another config', () => {
  const members = progress(config('PSS'), { 1: { configTerm: 1 }, 2: { configTerm: 3 } });
  expect(isConfigReplicated(config('PSS'), members, false)).toBe(false);
});

const behind = { position: at(2, 9) };

test.for<[letters: string, behind: number[], committed: boolean]>([
  ['PSS', [2], true],
  ['PSS', [1, 2], false],
  ['PSA', [], true],
  ['PSA', [1], false],
  ['PSSA', [1], false],
  ['PSSSA', [3], true],
  ['PAA', [], true],
  ['PSSnnn', [1, 2], false],
  ['PSw', [2], true],
])('%s with %j behind: committed %s', ([letters, late, committed]) => {
  const members = progress(config(letters), Object.fromEntries(late.map((index) => [index, behind])));
  expect(isOplogCommitted(config(letters), members, at(2, 10))).toBe(committed);
});

test('what is later in an older term does not count', () => {
  const members = progress(config('PSS'), { 1: { position: at(1, 99) }, 2: { position: at(1, 99) } });
  expect(isOplogCommitted(config('PSS'), members, at(2, 10))).toBe(false);
});

test('a set’s first config and a forced one have nothing before them to keep', () => {
  expect(needsOplogCommitment(set('PSS', 1, 1))).toBe(false);
  expect(needsOplogCommitment(set('PSS', 9, -1))).toBe(false);
  expect(needsOplogCommitment(set('PSS', 2, 1))).toBe(true);
});

test('an arbiter holds no entry, wherever it says it is', () => {
  const members = progress(config('PSA'), { 1: { position: NULL_OP_TIME }, 2: { position: at(2, 10) } });
  expect(isOplogCommitted(config('PSA'), members, at(2, 10))).toBe(false);
});
