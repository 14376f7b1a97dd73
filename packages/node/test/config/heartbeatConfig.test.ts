import {
  DEFAULT_COSTS,
  decodePromoted,
  encodeDocument,
  type HeartbeatReply,
  NULL_OP_TIME,
  type ReplSetConfig,
} from '@replsim/protocol';
import { openDisk } from '@replsim/storage';
import { expect, test } from 'vitest';
import { type Mongod, type MongodEffect, startMongod } from '../../src/index.ts';
import { set } from './support.ts';

// A process without a config, which another member's heartbeat finds; every effect is looked at.

const HOST = 'n4:27017';
const at = (ms: number) => ({ monotonicMicros: ms * 1000, wallMs: Date.UTC(2025, 0, 1) + ms });

async function fresh(): Promise<Mongod> {
  const disk = await openDisk();
  const options = {
    host: HOST,
    mode: 'replSet',
    setName: 'rs0',
    version: '8.0',
    parameters: {},
    costs: DEFAULT_COSTS,
    oplogSizeBytes: 1 << 20,
    idSeed: [1, 2],
    processId: new Uint8Array(12),
    tracing: true,
  } as const;
  const mongod = startMongod(options, await disk.load());
  mongod.step({ type: 'started' }, at(0));
  return mongod;
}

/** n1, of this config, sends a heartbeat; n4 asks back and is answered. Gives the effects of the answer. */
function heartbeatOf(config: ReplSetConfig, mongod: Mongod, ms: number): readonly MongodEffect[] {
  const command = {
    replSetHeartbeat: 'rs0',
    configVersion: config.version,
    configTerm: config.term,
    from: 'n1:27017',
    fromId: 0,
    term: 1,
    primaryId: 0,
  } as const;
  const request = { kind: 'request', id: 1, from: 'n1:27017', to: HOST, channel: 'heartbeat', command } as const;
  const asked = mongod
    .step({ type: 'message', message: request }, at(ms))
    .find((effect) => effect.type === 'send' && effect.message.kind === 'request');
  if (asked?.type !== 'send') throw new Error('it did not ask back');
  const reply: HeartbeatReply = {
    ok: 1,
    set: 'rs0',
    state: 'PRIMARY',
    v: config.version,
    configTerm: config.term,
    term: 1,
    primaryId: 0,
    electable: true,
    opTime: NULL_OP_TIME,
    wallTimeMs: 0,
    writtenOpTime: NULL_OP_TIME,
    writtenWallTimeMs: 0,
    durableOpTime: NULL_OP_TIME,
    durableWallTimeMs: 0,
    config,
    $replData: {
      term: 1,
      lastOpCommitted: NULL_OP_TIME,
      lastCommittedWallMs: 0,
      configVersion: config.version,
      configTerm: config.term,
      replicaSetId: config.settings.replicaSetId,
      primaryIndex: 0,
      syncSourceIndex: -1,
      isPrimary: true,
    },
  };
  const { id, channel } = asked.message;
  const message = { kind: 'response', id, from: 'n1:27017', to: HOST, channel, reply } as const;
  return mongod.step({ type: 'message', message }, at(ms + 1));
}

const traced = (effects: readonly MongodEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'trace' && effect.event.type !== 'log' ? [effect.event.type] : []));
const configReply = (mongod: Mongod, ms: number) =>
  decodePromoted(mongod.ask(encodeDocument({ replSetGetConfig: 1, $db: 'admin' }), at(ms)));

test('a config that does not contain it is none of its business', async () => {
  const mongod = await fresh();
  const effects = heartbeatOf(set('PSS', 3), mongod, 10);
  expect(effects.map(({ type }) => type)).not.toContain('writeJournal');
  expect(configReply(mongod, 12).code).toBe(94);
});

test('one that contains it goes to disk first, and only then into force; another one has to wait', async () => {
  const mongod = await fresh();
  const effects = heartbeatOf(set('PSSS', 3), mongod, 10);
  const write = effects.find(({ type }) => type === 'writeJournal');
  expect(write).toBeDefined();
  expect(configReply(mongod, 12).code).toBe(94);
  const later = heartbeatOf(set('PSSSn', 4), mongod, 12);
  expect(
    later.map(({ type }) => type),
    'one change at a time',
  ).not.toContain('writeJournal');
  const ticket = write?.type === 'writeJournal' ? write.ticket : -1;
  expect(traced(mongod.step({ type: 'diskDone', ticket }, at(14)))).toContain('configInstalled');
  expect(configReply(mongod, 15).config.version).toBe(3);
});

test('one that this process’s parameters do not allow is not taken over', async () => {
  const mongod = await fresh();
  const members = set('PSASA', 3).members;
  const effects = heartbeatOf({ ...set('PSSS', 3), members }, mongod, 10);
  expect(effects.map(({ type }) => type)).not.toContain('writeJournal');
  const warning = effects.find(
    (effect) => effect.type === 'trace' && effect.event.type === 'log' && effect.event.line.id === 21487,
  );
  expect(warning).toBeDefined();
});
