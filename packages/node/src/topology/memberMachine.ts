import { assign, setup } from 'xstate';

export type MemberEvent =
  | { readonly type: 'initialSyncStarted' }
  /** Data are there, if not consistent yet: after an initial sync, or found on the disk. */
  | { readonly type: 'dataFound' }
  /** Everything up to `minValid` is applied. */
  | { readonly type: 'consistent' }
  | { readonly type: 'rollbackStarted' }
  | { readonly type: 'rollbackEnded' }
  /** A config takes a member back that was removed from the set. */
  | { readonly type: 'returned' }
  | { readonly type: 'maintenanceStarted' }
  | { readonly type: 'maintenanceEnded' };

/**
 * What a member does while it does not lead, and beside it whether it is in maintenance, which several may ask for at
 * once: the command, and the fetcher when every source has left it behind. The state that it reports is derived from
 * both (`memberState.ts`). Upstream: TopologyCoordinator's _followerMode and _maintenanceModeCalls.
 */
export const memberMachine = setup({
  types: { context: {} as { readonly maintenanceCalls: number }, events: {} as MemberEvent },
  actions: {
    countUp: assign({ maintenanceCalls: ({ context }) => context.maintenanceCalls + 1 }),
    countDown: assign({ maintenanceCalls: ({ context }) => context.maintenanceCalls - 1 }),
  },
  guards: {
    isLastCall: ({ context }) => context.maintenanceCalls === 1,
    notInMaintenance: ({ context }) => context.maintenanceCalls === 0,
  },
}).createMachine({
  id: 'member',
  type: 'parallel',
  context: { maintenanceCalls: 0 },
  states: {
    followerMode: {
      initial: 'STARTUP2',
      states: {
        STARTUP2: { on: { dataFound: 'RECOVERING' } },
        RECOVERING: {
          on: {
            consistent: { guard: 'notInMaintenance', target: 'SECONDARY' },
            // It fetches, so it may find that its oplog has parted from its source's.
            rollbackStarted: 'ROLLBACK',
            initialSyncStarted: 'STARTUP2',
          },
        },
        SECONDARY: { on: { rollbackStarted: 'ROLLBACK', initialSyncStarted: 'STARTUP2', returned: 'RECOVERING' } },
        // A rollback ends where the data are consistent again, so nothing is left to wait for.
        ROLLBACK: { on: { rollbackEnded: 'SECONDARY', returned: 'RECOVERING' } },
      },
    },
    maintenance: {
      initial: 'off',
      states: {
        off: { on: { maintenanceStarted: { target: 'on', actions: 'countUp' } } },
        on: {
          on: {
            maintenanceStarted: { actions: 'countUp' },
            maintenanceEnded: [{ guard: 'isLastCall', target: 'off', actions: 'countDown' }, { actions: 'countDown' }],
          },
        },
      },
    },
  },
});
