import type { Operation } from '@replsim/operations';
import { CommandError } from '@replsim/protocol';
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import { hangAt } from '../core/hang.ts';
import { logEnd } from '../core/processLog.ts';
import { steppedMachine } from '../core/steppedMachine.ts';
import type { Replication } from '../replication/replication.ts';
import { stepDownGracefully } from '../replication/stepDown.ts';
import type { ShutdownHost } from './shutdownHost.ts';
import { type ShutdownEvent, shutdownMachine } from './shutdownMachine.ts';

const MACHINE = steppedMachine(shutdownMachine);
const [INITIAL] = initialTransition(MACHINE);
const A_DAY_SECS = 86_400;

export interface ShutdownRequest {
  /** For the step-down of a primary and for quiesce mode together. */
  readonly timeoutMillis: number;
  /** Goes on though nobody could take over: `force: true`, or a signal. */
  readonly insists: boolean;
}

/** How far the end of this process has come, and the way there. Upstream: mongod_main.cpp, shutdownTask. */
export class Shutdown {
  readonly #host: ShutdownHost;
  #snapshot: SnapshotFrom<typeof MACHINE> = INITIAL;
  #quiesceUntilMicros = 0;
  #bySignal = false;

  constructor(host: ShutdownHost) {
    this.#host = host;
  }

  /**
   * It votes no more. A signal begins with this, so that not even a step-down on the way gets its vote; who shuts down by
   * command votes until it stops, and so for its own successor. Upstream: mongod_main.cpp, shutdownTask.
   */
  get isTerminal(): boolean {
    return this.#bySignal || this.#snapshot.matches('stopping') || this.#snapshot.matches('stopped');
  }

  /** It no longer stands for election. */
  get isLeaving(): boolean {
    return this.isTerminal || this.isQuiescing;
  }

  get isQuiescing(): boolean {
    return this.#snapshot.matches('quiesceMode');
  }

  /** It quiesces, or has; what ends its commands afterwards is of the same change that clients were told of. */
  get inQuiesceMode(): boolean {
    return this.#quiesceUntilMicros > 0;
  }

  /** What `hello` answers while the member quiesces: clients and new fetchers go elsewhere, all else goes on. */
  quiesceError(): CommandError {
    const { core } = this.#host;
    const left = Math.max(this.#quiesceUntilMicros - core.now.monotonicMicros, 0);
    return new CommandError('ShutdownInProgress', 'Replication coordinator is in quiesce mode', {
      remainingQuiesceTimeMillis: BigInt(Math.ceil(left / 1000)),
    });
  }

  /** SIGTERM. A second one changes nothing. */
  onSignal(): void {
    if (!this.#snapshot.matches('running')) return;
    this.#bySignal = true;
    // The lock goes first: a primary that is locked could not step down.
    this.#endFsyncLock();
    const timeoutMillis = this.#host.parameters.number('shutdownTimeoutMillisForSignaledShutdown');
    this.#inBackground(this.run({ timeoutMillis, insists: true }));
  }

  /** The command. Any refusal has happened when this returns; the rest continues by itself. */
  *begin(request: ShutdownRequest): Operation<void> {
    if (!this.#snapshot.matches('running'))
      throw new CommandError('ShutdownInProgress', 'Shutdown already in progress');
    const deadline = yield* this.#handOver(request);
    this.#inBackground(this.#end(deadline));
  }

  *run(request: ShutdownRequest): Operation<void> {
    const deadline = yield* this.#handOver(request);
    yield* this.#end(deadline);
  }

  #inBackground(operation: Operation<void>): void {
    const labels = { desc: 'SignalHandler', ns: '', commandName: 'shutdown', killable: 'onRollback' } as const;
    this.#host.scheduler.run(labels, operation, () => {});
  }

  /** A primary steps down, and does not stand again. @returns when quiesce mode ends, µs */
  *#handOver({ timeoutMillis, insists }: ShutdownRequest): Operation<number> {
    const { repl, core } = this.#host;
    const deadline = core.now.monotonicMicros + timeoutMillis * 1000;
    this.#send('asked');
    if (!repl?.elections.isLeader || repl.topology.others.length === 0) return deadline;
    core.log('I', 'REPL', 4784900, 'Stepping down the ReplicationCoordinator for shutdown', {
      waitTimeMillis: timeoutMillis,
    });
    try {
      yield* stepDownGracefully(repl, { stepDownSecs: A_DAY_SECS, catchUpMillis: timeoutMillis, force: false });
    } catch (error) {
      // Nobody could take over in time.
      if (!(error instanceof CommandError)) throw error;
      if (!insists) {
        this.#send('refused');
        throw error;
      }
    }
    return deadline;
  }

  *#end(deadlineMicros: number): Operation<void> {
    const { repl, core, ttl, journal, checkpoints, scheduler } = this.#host;
    if (repl?.topology.state === 'SECONDARY' && deadlineMicros > core.now.monotonicMicros) {
      yield* this.#quiesce(repl, deadlineMicros);
    }
    this.#send('endBegan');
    repl?.elections.timer.stop();
    this.#endFsyncLock();
    ttl.stop();
    scheduler.killAll(
      ({ commandName }) => commandName !== 'shutdown',
      () => new CommandError('InterruptedAtShutdown', 'interrupted at shutdown'),
    );
    let flushed = false;
    journal.whenDurable(() => {
      flushed = true;
    });
    yield { type: 'wait', what: 'journal', ready: () => flushed };
    yield* checkpoints.takeNow();
    this.#send('flushed');
    logEnd(core, 0);
    core.push({ type: 'exit', how: 'shutdown' });
  }

  /** Upstream: the shutdown task that FSyncLockThread registers. */
  #endFsyncLock(): void {
    const { core, fsyncLock } = this.#host;
    if (fsyncLock.isLocked) core.log('W', 'COMMAND', 20469, 'Ending the fsync lock, as the server shuts down');
    while (fsyncLock.isLocked) fsyncLock.release();
  }

  *#quiesce(repl: Replication, deadlineMicros: number): Operation<void> {
    const { core } = this.#host;
    this.#quiesceUntilMicros = deadlineMicros;
    core.log('I', 'REPL', 4794602, 'Attempting to enter quiesce mode');
    this.#send('quiesceBegan');
    repl.elections.timer.stop();
    repl.elections.takeover.cancel();
    core.log('I', 'REPL', 4695102, 'Entering quiesce mode for shutdown', {
      quiesceTimeMillis: (deadlineMicros - core.now.monotonicMicros) / 1000,
    });
    core.trace({ type: 'quiesceBegan', forMs: (deadlineMicros - core.now.monotonicMicros) / 1000 });
    repl.topology.bump();
    yield* hangAt(core, 'hangDuringQuiesceMode');
    yield { type: 'wait', what: 'other', ready: () => false, deadlineMicros };
    core.log('I', 'REPL', 4695103, 'Exiting quiesce mode for shutdown');
  }

  #send(type: ShutdownEvent['type']): void {
    [this.#snapshot] = transition(MACHINE, this.#snapshot, { type });
  }
}
