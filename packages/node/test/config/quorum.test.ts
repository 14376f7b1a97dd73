import { type ErrorReply, type HeartbeatReply, NULL_OP_TIME } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type Answer, initiateRefusal, type Poll, reconfigRefusal, vetoOf } from '../../src/config/quorum.ts';
import { REPLICA_SET_ID, set } from './support.ts';

const good: HeartbeatReply = {
  ok: 1,
  set: 'rs0',
  state: 'SECONDARY',
  v: 1,
  configTerm: 1,
  term: 1,
  primaryId: 0,
  electable: true,
  opTime: NULL_OP_TIME,
  wallTimeMs: 0,
  writtenOpTime: NULL_OP_TIME,
  writtenWallTimeMs: 0,
  durableOpTime: NULL_OP_TIME,
  durableWallTimeMs: 0,
  $replData: {
    term: 1,
    lastOpCommitted: NULL_OP_TIME,
    lastCommittedWallMs: 0,
    configVersion: 1,
    configTerm: 1,
    replicaSetId: REPLICA_SET_ID,
    primaryIndex: 0,
    syncSourceIndex: -1,
    isPrimary: false,
  },
};
const { replicaSetId: _, ...noId } = good.$replData;
/** A member without a config. */
const fresh: HeartbeatReply = { ...good, state: 'STARTUP', v: -2, configTerm: -1, $replData: noId };
const failed = (code: number, errmsg = 'no'): ErrorReply => ({ ok: 0, code, errmsg });

/** The poll of a config by n1; the answers are those of n2, n3 … */
function poll(letters: string, ...answers: Answer[]): Poll {
  const config = set(letters, 2, 1);
  return { config, self: 'n1:27017', answers: new Map(answers.map((answer, i) => [`n${i + 2}:27017`, answer])) };
}

test.for<[what: string, answer: Answer, text: RegExp, codeName?: string]>([
  ['another set’s name', failed(108), /set name did not match that of n2:27017/],
  ['another replicaSetId', { ...good, $replData: { ...good.$replData, replicaSetId: 'f'.repeat(24) } }, /set ID/],
  ['a config as new as this', { ...good, v: 2 }, /{version: 2, term: 1} is no larger/],
  ['a config of a later term', { ...good, v: 1, configTerm: 2 }, /no larger/],
  ['data of its own', { ...fresh, hasData: true }, /has data already/, 'CannotInitializeNodeWithData'],
])('%s is a veto, whatever the others say', ([, answer, text, codeName = 'NewReplicaSetConfigurationIncompatible']) => {
  const veto = vetoOf(poll('PSS', answer, undefined));
  expect(veto?.codeName).toBe(codeName);
  expect(veto?.message).toMatch(text);
});

test.for<[what: string, answer: Answer]>([
  ['silence', undefined],
  ['an older config', good],
  ['no config', fresh],
  ['an error', failed(6)],
  ['that it was removed', failed(93)],
])('%s is no veto', ([, answer]) => {
  expect(vetoOf(poll('PSS', answer))).toBeUndefined();
});

test.for<[what: string, answers: Answer[], failing?: RegExp]>([
  ['all answer', [fresh, fresh]],
  ['one is silent', [fresh, undefined], /n3:27017 failed with no answer in time/],
  ['one fails', [failed(6, 'nobody there'), fresh], /n2:27017 failed with nobody there/],
])('to initiate: %s', ([, answers, failing]) => {
  const refusal = initiateRefusal(poll('PSS', ...answers));
  expect(refusal?.codeName).toBe(failing && 'NodeNotFound');
  if (failing) expect(refusal?.message).toMatch(failing);
});

test.for<[what: string, letters: string, answers: Answer[], failing?: RegExp]>([
  ['a majority answers', 'PSS', [good, undefined]],
  ['too few voters', 'PSS', [undefined, failed(6)], /required 2 but only n1:27017 responded/],
  ['a removed member is fit to come back', 'PSS', [failed(93), undefined]],
  ['members without votes do not help', 'PSSnn', [undefined, undefined, good, good], /required 2/],
  ['nor do the newly added', 'PSSww', [undefined, undefined, good, good], /required 2/],
  ['the newly added need not answer', 'PSSww', [good, undefined, undefined, undefined]],
  ['an arbiter does', 'PSA', [undefined, good]],
  ['nobody electable is there', 'hSA', [undefined, good], /no electable nodes/],
])('to change: %s', ([, letters, answers, failing]) => {
  const refusal = reconfigRefusal(poll(letters, ...answers));
  expect(refusal?.codeName).toBe(failing && 'NodeNotFound');
  if (failing) expect(refusal?.message).toMatch(failing);
});
