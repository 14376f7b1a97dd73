import * as z from 'zod';
import type { FaultForm, Settled } from './fault.ts';
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
}

const { member: _, as: _as, queryableBackupMode: _backup, ...restartShape } = startShape;

const rolling: FaultForm<RollingRestart, OnMember<'shutdown'> | Start | Settled> = {
  what: 'Restarts one member after the other, the primary last, each when the one before is back and has caught up',
  shape: () =>
    strict('rolling', {
      on: target.optional().describe('Whose turn comes; without it, all who run'),
      restart: strict('restart', restartShape).describe('How each is started anew'),
      order: z
        .enum(ORDERS, { error: 'expected "secondaries first", the only order in which a set stays at work' })
        .optional()
        .describe('secondaries first, which is also meant where nothing is said'),
    }),
  actions: ({ on, restart }, door) => {
    // Who is meant is settled first: a secondary that takes over meanwhile has its turn all the same.
    const meant = door.members(['on'], on ?? 'all', 'running');
    const [primary] = door.members([], 'primary');
    const others = meant.filter((member) => member !== primary);
    const turns = others.length < meant.length ? [...others, primary!] : others;
    return turns.flatMap((member) => [
      { type: 'settled' as const, member },
      { type: 'shutdown' as const, member },
      ...starts({ ...restart, member }, [member], door, ['restart']),
      { type: 'settled' as const, member },
    ]);
  },
};

/** What befalls a whole set, member by member. */
export const rollingFaults = {
  /** Restarts one member after the other, the primary last, each when the one before is back and has caught up. */
  rolling,
};
