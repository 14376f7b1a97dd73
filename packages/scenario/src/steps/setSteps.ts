import { document, either, flag, strict, targetOr, text } from '@replsim/replset';
import { hole } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import type { ReconfigAction } from '../scenario.ts';
import { memberConfigShape } from '../schema/memberConfig.ts';
import { newMemberName, optionCount, withDefault } from '../schema/parts.ts';
import {
  admin,
  adminStep,
  answer,
  asked,
  type ClientInput,
  client,
  clientShape,
  isShort,
  sent,
} from './clientCommand.ts';
import { type Performing, step } from './row.ts';

/** How long mongod waits for a secondary to catch up, unless it is told otherwise. */
const CATCH_UP_SECS = 10;

const forced = withDefault(flag, false, 'Even on a member that is not primary, and without a majority');

/** mongod refuses to step down for less than it waits, though who steps down for a second has not asked it to wait for ten. */
function shortCatchUp(options: ReadonlyMap<string, unknown>): number | undefined {
  if (options.has('secondaryCatchUpPeriodSecs') || options.get('force') === true) return undefined;
  const secs = Number(options.get('stepDownSecs') ?? 60);
  return secs > 0 && secs < CATCH_UP_SECS ? secs : undefined;
}

/** Sends the config that the set has by then, changed. */
const reconfigured: Performing<ReconfigAction>['perform'] = (action, { client }) => client.reconfig(action);

/** The steps that change who is in the set, and who leads it. */
export const setSteps = {
  // Upstream: mongosh's rs.stepDown sends 60 seconds when none are given.
  stepDown: step({
    shape: targetOr(
      strict(
        'stepDown',
        {
          ...clientShape,
          stepDownSecs: withDefault(optionCount, 60, 'How long it does not stand for election again. Unit: s'),
          secondaryCatchUpPeriodSecs: withDefault(
            optionCount,
            CATCH_UP_SECS,
            'How long to wait for a secondary to catch up: stepDownSecs if that is less; with force, not at all. Unit: s',
          ),
          force: withDefault(flag, false, 'Step down even if no secondary has caught up'),
        },
        { seconds: 'did you mean "stepDownSecs"?', secs: 'did you mean "stepDownSecs"?' },
      ),
    ).describe('Makes the primary, or the members named, step down and hand over'),
    read: (reader, path, input) => {
      const options = isShort(input)
        ? new Map<string, unknown>()
        : reader.values(path, ['stepDownSecs', 'secondaryCatchUpPeriodSecs', 'force']);
      const command = new Map<string, unknown>([['replSetStepDown', options.get('stepDownSecs') ?? 60], ...options]);
      command.delete('stepDownSecs');
      const catchUpSecs = shortCatchUp(options);
      if (catchUpSecs !== undefined) command.set('secondaryCatchUpPeriodSecs', catchUpSecs);
      return adminStep(reader, path, input, command);
    },
    perform: sent,
  }),
  stepUp: step({
    shape: targetOr(strict('stepUp', { ...clientShape, on: asked })).describe(
      'Makes a member stand for election at once',
    ),
    read: (reader, path, input) => adminStep(reader, path, input, new Map([['replSetStepUp', 1]])),
    perform: sent,
  }),
  freeze: step({
    shape: strict('freeze', {
      ...clientShape,
      on: asked,
      seconds: optionCount.describe('How long; 0 ends it. Unit: s'),
    }).describe('Keeps a member from standing for election'),
    read: (reader, path, input) => adminStep(reader, path, input, new Map([['replSetFreeze', input.seconds]])),
    perform: sent,
  }),
  initiate: step({
    shape: targetOr(
      strict('initiate', {
        ...clientShape,
        config: document.optional().describe('The first config; without it, the members as the file lists them'),
      }),
    ).describe('Initiates the set, if replicaSet.initiate is false'),
    read: (reader, path, input) => {
      const config = isShort(input) || input.config === undefined ? undefined : reader.value([...path, 'config']);
      const command = new Map<string, unknown>([['replSetInitiate', config ?? hole(({ firstConfig }) => firstConfig)]]);
      return adminStep(reader, path, input, command);
    },
    perform: sent,
  }),
  reconfig: step({
    shape: strict('reconfig', {
      ...clientShape,
      update: document.describe('An update of the config: { $set: { members.2.priority: 0 } }; its version rises'),
      force: forced,
    }).describe('Changes the config'),
    read: (reader, path, input): ReconfigAction =>
      reconfig(reader, path, input, { update: reader.template([...path, 'update']) }),
    perform: reconfigured,
  }),
  addMember: step({
    shape: strict('addMember', {
      ...clientShape,
      name: newMemberName.describe('A spare, or any other process'),
      force: forced,
      ...memberConfigShape,
    }).describe('Adds a member to the config'),
    read: (reader, path, input): ReconfigAction => {
      const { name, ...others } = input;
      const host = hostOf(reader, [...path, 'name'], name);
      const keys = Object.keys(others).filter((key) => !NOT_CONFIG.has(key));
      return reconfig(reader, path, input, { add: { host, fields: reader.values(path, keys) } });
    },
    perform: reconfigured,
  }),
  removeMember: step({
    shape: either("a member's name, or { name: …, … }", [
      text,
      strict('removeMember', { ...clientShape, name: text.describe("The member's"), force: forced }),
    ]).describe('Removes a member from the config'),
    read: (reader, path, input): ReconfigAction => {
      const name = typeof input === 'string' ? input : input.name;
      const host = hostOf(reader, typeof input === 'string' ? path : [...path, 'name'], name);
      return reconfig(reader, path, typeof input === 'string' ? {} : input, { remove: host });
    },
    perform: reconfigured,
  }),
  setParameter: step({
    shape: strict('setParameter', {
      ...clientShape,
      on: asked,
      parameters: document.describe('{ ttlMonitorSleepSecs: 5 }. An error if the release does not have a parameter'),
    }).describe('Changes parameters of a running process'),
    read: (reader, path, input) => {
      const parameters = reader.template([...path, 'parameters']).value;
      return client(reader, path, input, [admin(new Map<string, unknown>([['setParameter', 1], ...parameters]))]);
    },
    perform: sent,
  }),
};
const NOT_CONFIG = new Set(['on', 'as', 'matches', 'error', 'took', 'force']);

/** A member's address in configs. */
function hostOf(reader: Reader, path: Path, name: string): string {
  return reader.members.get(reader.member(path, name)) ?? '';
}

function reconfig(
  reader: Reader,
  path: Path,
  input: ClientInput & { force?: boolean | undefined },
  change: ReconfigAction['change'],
): ReconfigAction {
  const on = reader.target([...path, 'on'], input.on);
  return { kind: 'reconfig', on, change, force: input.force ?? false, ...answer(reader, path, input, on) };
}
