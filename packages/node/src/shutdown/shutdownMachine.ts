import { setup } from 'xstate';

export type ShutdownEvent =
  | { readonly type: 'asked' }
  /** No member could take over in time, and the caller did not insist. */
  | { readonly type: 'refused' }
  | { readonly type: 'quiesceBegan' }
  | { readonly type: 'endBegan' }
  | { readonly type: 'flushed' };

/**
 * The end of a process: a primary hands over, a secondary tells its clients to look elsewhere, then everything is killed
 * and goes to disk. Upstream: mongod_main.cpp, shutdownTask; ReplicationCoordinatorImpl::enterQuiesceModeIfSecondary.
 */
export const shutdownMachine = setup({ types: { events: {} as ShutdownEvent } }).createMachine({
  id: 'shutdown',
  initial: 'running',
  states: {
    running: { on: { asked: 'steppingDown' } },
    // The last state that can be left again.
    steppingDown: { on: { refused: 'running', quiesceBegan: 'quiesceMode', endBegan: 'stopping' } },
    quiesceMode: { on: { endBegan: 'stopping' } },
    stopping: { on: { flushed: 'stopped' } },
    stopped: { type: 'final' },
  },
});
