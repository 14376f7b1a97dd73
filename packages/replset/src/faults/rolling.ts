import { type MongodVersion, VERSIONS } from '@replsim/protocol';
import * as z from 'zod';
import type { Compatibility, FaultDoor, FaultForm, Settled } from './fault.ts';
import { type OnMember, type Start, type StartRequest, startShape, starts } from './processes.ts';
import { strict, target } from './shapes.ts';
import type { Target } from './targets.ts';

/** In which order members have their turn; only this one keeps a set at work. */
const ORDERS = ['secondaries first'] as const;

/** What each member goes through in its turn. */
export interface RollingRestart {
  /** Whose turn comes; all who run, if nobody is named. */
  readonly on?: Target | undefined;
  /** As a start has it, but for who. */
  readonly restart: Omit<StartRequest, 'member' | 'as' | 'queryableBackupMode'>;
  readonly order?: (typeof ORDERS)[number] | undefined;
  /** Set at the end, when all have had their turn: what makes an upgrade complete. */
  readonly featureCompatibilityVersion?: string | undefined;
}

/** Feature compatibility versions began with 3.4. */
const COMPATIBILITY_SINCE = 5;
const compatibilityVersions = (Object.keys(VERSIONS) as MongodVersion[]).filter(
  (version) => VERSIONS[version].maxWireVersion >= COMPATIBILITY_SINCE,
);

const { member: _, as: _as, queryableBackupMode: _backup, ...restartShape } = startShape;

const rolling: FaultForm<RollingRestart, OnMember<'shutdown'> | Start | Settled | Compatibility> = {
  what: 'Restarts one member after the other, the primary last, each when the one before is back and has caught up',
  shape: () =>
    strict('rolling', {
      on: target.optional().describe('Whose turn comes; without it, all who run'),
      restart: strict('restart', restartShape, { member: 'name the members in "on", beside "restart"' }).describe(
        'How each is started anew',
      ),
      order: z
        .enum(ORDERS, { error: 'expected "secondaries first", the only order in which a set stays at work' })
        .optional()
        .describe('secondaries first, which is also meant where nothing is said'),
      featureCompatibilityVersion: z
        .enum(compatibilityVersions, {
          error: `expected one of ${compatibilityVersions.map((name) => `"${name}"`).join(', ')}, in quotes`,
        })
        .optional()
        .describe('Set on the primary at the end; without it, the old one stays'),
    }),
  needsPrimary: true,
  actions: ({ on, restart, featureCompatibilityVersion: version }, door) => {
    if (version !== undefined) checkCompatible(version, restart.version, door);
    // Who is meant is settled first: a secondary that takes over meanwhile has its turn all the same.
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

/** A release that is older than the version cannot know it. */
function checkCompatible(version: string, release: MongodVersion | undefined, door: FaultDoor): void {
  if (release === undefined || Number(version) <= Number(release)) return;
  door.mistake(
    ['featureCompatibilityVersion'],
    `${release} knows no feature compatibility version "${version}"`,
    `write "${release}", or leave it out`,
  );
}

/** What befalls a whole set, member by member. */
export const rollingFaults = {
  /** Restarts one member after the other, the primary last, each when the one before is back and has caught up. */
  rolling,
};
