import fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { type ConfigEvent, configMachine } from '../../src/config/configMachine.ts';
import { set } from './support.ts';

const config = set('PSS', 2);

/** Sends events to a fresh machine; gives the state at the end and what it asked for, in order. */
function walk(...events: ConfigEvent[]) {
  let [snapshot] = initialTransition(configMachine);
  const effects: string[] = [];
  for (const event of events) {
    const [next, actions] = transition(configMachine, snapshot, event);
    snapshot = next;
    for (const { type, params } of actions) {
      if (type !== 'storeConfig' && type !== 'installConfig') continue;
      const { config: which, byHeartbeat } = params as { config: typeof config; byHeartbeat?: boolean };
      effects.push(`${type} ${which.version}${byHeartbeat ? ' by heartbeat' : ''}`);
    }
  }
  const { value } = snapshot;
  return { state: typeof value === 'string' ? value : Object.keys(value)[0], effects };
}

const startUp: ConfigEvent = { type: 'startUp' };
const empty: ConfigEvent = { type: 'loaded', config: undefined };
const stored: ConfigEvent = { type: 'stored' };
const store: ConfigEvent = { type: 'store', config: { ...config, version: 3 } };
const heard: ConfigEvent = { type: 'heardOfNewer', config: { ...config, version: 4 } };
const steady: ConfigEvent[] = [startUp, { type: 'loaded', config }];
const of = (type: 'initiate' | 'reconfig' | 'refused' | 'noSetName'): ConfigEvent => ({ type });

test.for<[what: string, events: ConfigEvent[], state: string, effects: string[]]>([
  ['a process begins', [], 'preStart', []],
  ['without --replSet', [of('noSetName')], 'replicationDisabled', []],
  ['on an empty disk', [startUp, empty], 'uninitialized', []],
  ['on a set’s disk', steady, 'steady', ['installConfig 2']],
  ['initiate', [startUp, empty, of('initiate')], 'initiating', []],
  ['initiate, refused', [startUp, empty, of('initiate'), of('refused')], 'uninitialized', []],
  ['initiate, on its way to disk', [startUp, empty, of('initiate'), store], 'initiating', ['storeConfig 3']],
  ['initiate, done', [startUp, empty, of('initiate'), store, stored], 'steady', ['storeConfig 3', 'installConfig 3']],
  ['reconfig', [...steady, of('reconfig')], 'reconfiguring', ['installConfig 2']],
  ['reconfig, refused', [...steady, of('reconfig'), of('refused')], 'steady', ['installConfig 2']],
  [
    'reconfig, done',
    [...steady, of('reconfig'), store, stored],
    'steady',
    ['installConfig 2', 'storeConfig 3', 'installConfig 3'],
  ],
  ['a heartbeat’s config', [...steady, heard], 'hbReconfiguring', ['installConfig 2', 'storeConfig 4']],
  [
    'a heartbeat’s config, done',
    [...steady, heard, stored],
    'steady',
    ['installConfig 2', 'storeConfig 4', 'installConfig 4 by heartbeat'],
  ],
  [
    'a heartbeat’s first config',
    [startUp, empty, heard, stored],
    'steady',
    ['storeConfig 4', 'installConfig 4 by heartbeat'],
  ],
  ['a heartbeat’s config during a reconfig', [...steady, of('reconfig'), heard], 'reconfiguring', ['installConfig 2']],
  [
    'a reconfig during a heartbeat’s',
    [...steady, heard, of('reconfig')],
    'hbReconfiguring',
    ['installConfig 2', 'storeConfig 4'],
  ],
  ['a heartbeat’s config during initiate', [startUp, empty, of('initiate'), heard], 'initiating', []],
  [
    'a refusal of what is on its way to disk',
    [...steady, of('reconfig'), store, of('refused'), stored],
    'steady',
    ['installConfig 2', 'storeConfig 3', 'installConfig 3'],
  ],
  ['a reconfig before there is a config', [startUp, empty, of('reconfig')], 'uninitialized', []],
  ['initiate where there is one', [...steady, of('initiate')], 'steady', ['installConfig 2']],
])('%s', ([, events, state, effects]) => {
  expect(walk(...events)).toEqual({ state, effects });
});

test('nothing is installed that was not stored before, and one change at a time', () => {
  const anyEvent = fc.constantFrom(of('initiate'), of('reconfig'), of('refused'), store, stored, heard);
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      const { effects } = walk(startUp, empty, ...events);
      effects.forEach((effect, index) => {
        const [kind, version] = effect.split(' ');
        if (kind === 'installConfig') expect(effects[index - 1]).toBe(`storeConfig ${version}`);
      });
    }),
  );
});
