import { type MongodVersion, VERSIONS } from '@replsim/protocol';
import * as z from 'zod';
import type { Compatibility, FaultDoor, FaultForm, Settled } from './fault.ts';
import { type OnMember, type Start, type StartRequest, startShape, starts } from './processes.ts';
import { strict, target } from './shapes.ts';
import type { Target } from './targets.ts';

/** The order in which members restart. This is the only one that keeps the set available. */
const ORDERS = ['secondaries first'] as const;

/** Argument of the fault `rolling`: which members to restart one after the other, and how. */
export interface RollingRestart {
  /** The members to restart. Default: all that are running. */
  readonly on?: Target | undefined;
  /** How to start each member: the options of a start, without `member`. */
  readonly restart: Omit<StartRequest, 'member' | 'as' | 'queryableBackupMode'>;
  /** The order. Default, and the only choice: `secondaries first`. */
  readonly order?: (typeof ORDERS)[number] | undefined;
  /** The feature compatibility version to set once all members have restarted, which completes an upgrade. Default: unchanged. */
  readonly featureCompatibilityVersion?: string | undefined;
}

/** The wire version of MongoDB 3.4, the first release with a feature compatibility version. */
const COMPATIBILITY_SINCE = 5;
const compatibilityVersions = (Object.keys(VERSIONS) as MongodVersion[]).filter(
  (version) => VERSIONS[version].maxWireVersion >= COMPATIBILITY_SINCE,
);

const { member: _, as: _as, queryableBackupMode: _backup, ...restartShape } = startShape;

const rolling: FaultForm<RollingRestart, OnMember<'shutdown'> | Start | Settled | Compatibility> = {
  what: 'Restarts members one after the other, the primary last, each once the previous one is back and has caught up',
  shape: () =>
    strict('rolling', {
      on: target.optional().describe('Which members; default: all that are running'),
      restart: strict('restart', restartShape, { member: 'name the members in "on", beside "restart"' }).describe(
        'How to start each member',
      ),
      order: z
        .enum(ORDERS, { error: 'expected "secondaries first", the only order that keeps the set available' })
        .optional()
        .describe('secondaries first, the only choice and the default'),
      featureCompatibilityVersion: z
        .enum(compatibilityVersions, {
          error: `expected one of ${compatibilityVersions.map((name) => `"${name}"`).join(', ')}, in quotes`,
        })
        .optional()
        .describe('Set on the primary at the end; default: unchanged'),
    }),
  needsPrimary: true,
  actions: ({ on, restart, featureCompatibilityVersion: version }, door) => {
    if (version !== undefined) checkCompatible(version, restart.version, door);
    // Resolve the target first: a secondary that becomes primary meanwhile is restarted all the same.
    const meant = door.members(['on'], on ?? 'all', 'running');
    const [primary] = door.members([], 'primary');
    const others = meant.filter((member) => member !== primary);
    const turns = others.length < meant.length ? [...others, primary!] : others;
    const restarts = turns.flatMap((member) => [
      { type: 'settled' as const, member },
      { type: 'shutdown' as const, member },
      ...starts({ ...restart, member }, [member], door, ['restart']),
      { type: 'settled' as const, member },
    ]);
    return version === undefined ? restarts : [...restarts, { type: 'compatibility', version }];
  },
};

/** Reports a feature compatibility version that is newer than the release. */
function checkCompatible(version: string, release: MongodVersion | undefined, door: FaultDoor): void {
  if (release === undefined || Number(version) <= Number(release)) return;
  door.mistake(
    ['featureCompatibilityVersion'],
    `${release} knows no feature compatibility version "${version}"`,
    `write "${release}", or leave it out`,
  );
}

/** Faults of a whole set, member by member. */
export const rollingFaults = {
  /** Restarts members one after the other, the primary last. Each waits until the previous one is back and has caught up. */
  rolling,
};
