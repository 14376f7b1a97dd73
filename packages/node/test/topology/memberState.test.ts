import { expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { type MemberEvent, memberMachine } from '../../src/topology/memberMachine.ts';
import { memberStateOf, type Standing } from '../../src/topology/memberState.ts';

// Upstream: TopologyCoordinator::getMemberState.

const secondary: Standing = {
  hasConfig: true,
  self: { arbiterOnly: false },
  leads: false,
  followerMode: 'SECONDARY',
  inMaintenance: false,
  onlyAuthErrors: false,
};
const startup2: Standing = { ...secondary, followerMode: 'STARTUP2' };

test.for<[state: ReturnType<typeof memberStateOf>, standing: Standing, name: string]>([
  ['STARTUP', { ...startup2, hasConfig: false, self: undefined }, 'no config'],
  ['REMOVED', { ...secondary, self: undefined }, 'a config without it'],
  ['REMOVED', { ...secondary, self: undefined, leads: true }, 'a config without it comes before the role'],
  ['PRIMARY', { ...secondary, leads: true }, 'elected'],
  ['PRIMARY', { ...secondary, leads: true, onlyAuthErrors: true }, 'elected, whoever refuses to talk'],
  ['ARBITER', { ...startup2, self: { arbiterOnly: true } }, 'the config says so'],
  ['STARTUP2', startup2, 'initial sync'],
  ['STARTUP2', { ...startup2, inMaintenance: true }, 'maintenance shows in SECONDARY alone'],
  ['RECOVERING', { ...secondary, followerMode: 'RECOVERING' }, 'not consistent yet'],
  ['SECONDARY', secondary, 'replicating'],
  ['RECOVERING', { ...secondary, inMaintenance: true }, 'maintenance'],
  ['RECOVERING', { ...secondary, onlyAuthErrors: true }, 'only refusals come back'],
  ['ROLLBACK', { ...secondary, followerMode: 'ROLLBACK', inMaintenance: true }, 'rolling back'],
])('%s: %3$s', ([state, standing]) => {
  expect(memberStateOf(standing)).toBe(state);
});

function play(...types: MemberEvent['type'][]) {
  let [snapshot] = initialTransition(memberMachine);
  for (const type of types) [snapshot] = transition(memberMachine, snapshot, { type });
  return [snapshot.value.followerMode, snapshot.context.maintenanceCalls];
}

test.for<[events: MemberEvent['type'][], mode: string, maintenanceCalls: number]>([
  [[], 'STARTUP2', 0],
  [['dataFound'], 'RECOVERING', 0],
  [['dataFound', 'consistent'], 'SECONDARY', 0],
  [['consistent'], 'STARTUP2', 0],
  [['dataFound', 'maintenanceStarted', 'consistent'], 'RECOVERING', 1],
  [['dataFound', 'maintenanceStarted', 'maintenanceEnded', 'consistent'], 'SECONDARY', 0],
  [['dataFound', 'consistent', 'maintenanceStarted', 'maintenanceStarted', 'maintenanceEnded'], 'SECONDARY', 1],
  [['maintenanceEnded', 'maintenanceEnded'], 'STARTUP2', 0],
  [['dataFound', 'consistent', 'rollbackStarted'], 'ROLLBACK', 0],
  [['dataFound', 'consistent', 'rollbackStarted', 'rollbackEnded'], 'SECONDARY', 0],
  [['dataFound', 'rollbackStarted'], 'ROLLBACK', 0],
  [['dataFound', 'maintenanceStarted', 'rollbackStarted', 'rollbackEnded'], 'SECONDARY', 1],
  [['rollbackStarted'], 'STARTUP2', 0],
  [['dataFound', 'consistent', 'returned'], 'RECOVERING', 0],
  [['dataFound', 'consistent', 'initialSyncStarted'], 'STARTUP2', 0],
])('%j ends in %s, %d maintenance calls', ([events, mode, maintenanceCalls]) => {
  expect(play(...events)).toEqual([mode, maintenanceCalls]);
});
