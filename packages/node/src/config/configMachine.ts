import { type ReplSetConfig, required } from '@replsim/protocol';
import { assign, setup } from 'xstate';

export interface ConfigContext {
  /** What is on its way to disk. */
  readonly next: ReplSetConfig | undefined;
}

export type ConfigEvent =
  /** The process began without `--replSet`. */
  | { readonly type: 'noSetName' }
  /** The process began with `--replSet`, and reads its disk. */
  | { readonly type: 'startUp' }
  /** The disk was read; it held this config, if any. */
  | { readonly type: 'loaded'; readonly config: ReplSetConfig | undefined }
  | { readonly type: 'initiate' }
  | { readonly type: 'reconfig' }
  /** Another member has this newer config. */
  | { readonly type: 'heardOfNewer'; readonly config: ReplSetConfig }
  /** All checks are passed. */
  | { readonly type: 'store'; readonly config: ReplSetConfig }
  /** The config is in the journal. */
  | { readonly type: 'stored' }
  /** A check failed, or the operation was killed. */
  | { readonly type: 'refused' };

/** What was remembered: asked only while a change is on its way. */
const nextOf = (context: ConfigContext) => required(context.next, 'config on its way to disk');

const store = {
  type: 'storeConfig' as const,
  params: ({ context }: { context: ConfigContext }) => ({ config: nextOf(context) }),
};

const install = (byHeartbeat: boolean) => ({
  type: 'installConfig' as const,
  params: ({ context }: { context: ConfigContext }) => ({ config: nextOf(context), byHeartbeat }),
});

/**
 * Where one member stands with its configuration: one change at a time, and elections only while it is steady.
 * Upstream: replication_coordinator_impl.h, ConfigState.
 *
 * Effects are data: `transition()` hands back their types and params, `configuration.ts` carries them out.
 */
export const configMachine = setup({
  types: { context: {} as ConfigContext, events: {} as ConfigEvent },
  actions: {
    /** To `local.system.replset` and the journal; nothing else looks at a config before that. */
    storeConfig: (_, _params: { config: ReplSetConfig }) => {},
    /** Puts it in force. The state is steady by then, so that a lone member may stand for election at once. */
    installConfig: (_, _params: { config: ReplSetConfig; byHeartbeat: boolean }) => {},
    remember: assign({
      next: ({ event }) => (event.type === 'store' || event.type === 'heardOfNewer' ? event.config : undefined),
    }),
    forget: assign({ next: undefined }),
  },
  guards: {
    hasConfig: ({ event }) => event.type === 'loaded' && event.config !== undefined,
  },
}).createMachine({
  id: 'config',
  context: { next: undefined },
  initial: 'preStart',
  states: {
    preStart: { on: { noSetName: 'replicationDisabled', startUp: 'startingUp' } },
    startingUp: {
      on: {
        loaded: [
          {
            guard: 'hasConfig',
            target: 'steady',
            actions: [
              {
                type: 'installConfig',
                params: ({ event }) => ({ config: required(event.config, 'config on disk'), byHeartbeat: false }),
              },
            ],
          },
          { target: 'uninitialized' },
        ],
      },
    },
    replicationDisabled: { type: 'final' },
    uninitialized: { on: { initiate: 'initiating', heardOfNewer: 'hbReconfiguring' } },
    steady: { on: { reconfig: 'reconfiguring', heardOfNewer: 'hbReconfiguring' } },
    initiating: {
      initial: 'checking',
      states: {
        checking: { on: { store: { target: 'storing', actions: 'remember' }, refused: '#config.uninitialized' } },
        storing: {
          entry: store,
          on: { stored: { target: '#config.steady', actions: [install(false), 'forget'] } },
        },
      },
    },
    reconfiguring: {
      initial: 'checking',
      states: {
        checking: { on: { store: { target: 'storing', actions: 'remember' }, refused: '#config.steady' } },
        // What is on its way to disk cannot be taken back.
        storing: {
          entry: store,
          on: { stored: { target: '#config.steady', actions: [install(false), 'forget'] } },
        },
      },
    },
    hbReconfiguring: {
      entry: ['remember', store],
      on: { stored: { target: 'steady', actions: [install(true), 'forget'] } },
    },
  },
});
