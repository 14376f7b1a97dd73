import { type Attempt, ClientSession, Driver, performOperation, runWaiting } from '@replsim/driver';
import type { Random } from '@replsim/kernel';
import type { ReplicaSetApi } from '@replsim/replset';
import type { ReadsAction, WorkloadAction } from '../scenario.ts';
import { firstBatch } from '../stage/answers.ts';
import { Calls } from './calls.ts';
import { ClientLog } from './clientLog.ts';
import { toldOf } from './told.ts';
import { heldBy, type Written } from './written.ts';

/** How the ledger of a workload's reads is called. */
export function readsOf(workload: string): string {
  return `${workload}/reads`;
}

/**
 * Reads back what a workload writes: the client of the workload itself after each of its writes, in the same session, or another
 * client now and then, which reads any of the documents that the workload has begun to write.
 */
export class Reads {
  readonly #action: WorkloadAction;
  readonly #reads: ReadsAction;
  readonly #set: ReplicaSetApi;
  readonly #log: ClientLog;
  readonly #calls: Calls;
  readonly #random: Random;
  readonly #driver: Driver;
  readonly #session: ClientSession | undefined;
  readonly #schedule: (afterMicros: number, happen: () => void) => () => void;
  readonly #startedMicros: number;
  readonly #known: Written[] = [];
  readonly #keys = new Set<string>();
  #turn = 0;
  #busy = false;
  #stopped = false;
  #cancelNext: () => void = () => {};

  /** @param own the client of the writes, where it is also the one that reads */
  constructor(
    action: WorkloadAction,
    reads: ReadsAction,
    set: ReplicaSetApi,
    random: Random,
    own: { readonly driver: Driver; readonly session: ClientSession | undefined; readonly calls: Calls },
  ) {
    this.#action = action;
    this.#reads = reads;
    this.#set = set;
    this.#random = random.split('keys');
    this.#startedMicros = set.nowMicros;
    const name = readsOf(action.name);
    this.#log = new ClientLog(set, name);
    const near = reads.near ?? action.near;
    const everyMicros = reads.everyMicros ?? action.everyMicros;
    const { ns } = action;
    const [concern, place] = [reads.concern && { concern: reads.concern }, near !== undefined && { near }];
    set.record({ type: 'workloadStarted', workload: name, operation: 'find', everyMicros, ns, ...concern, ...place });
    const end = set.client(name, near);
    this.#schedule = (afterMicros, happen) => end.schedule(afterMicros, happen);
    if (reads.everyMicros === undefined) {
      this.#driver = own.driver;
      this.#session = own.session;
      this.#calls = own.calls;
      return;
    }
    const seeds = set.memberNames.map((member) => set.hostOf(member));
    this.#driver = new Driver(end, set.setName, seeds, action.options, random.split('driver'));
    this.#session = reads.causal ? new ClientSession(random.split('session'), { causal: true }) : undefined;
    this.#calls = new Calls(set, action.name, name);
    this.#cancelNext = this.#schedule(reads.everyMicros, () => this.#takeTurn());
  }

  get isOver(): boolean {
    return this.#stopped && !this.#busy;
  }

  /** A document that is being written may be read from now on. */
  knows(written: Written): void {
    if (this.#keys.has(written.key)) return;
    this.#keys.add(written.key);
    this.#known.push(written);
  }

  /** Whoever has written reads what is there now. */
  after(written: Written, done: () => void): void {
    if (this.#reads.everyMicros === undefined) this.#read(written, done);
    else done();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelNext();
    this.#set.record({ type: 'workloadStopped', workload: readsOf(this.#action.name) });
    if (!this.#busy) this.#close();
  }

  #close(): void {
    if (this.#reads.everyMicros !== undefined) this.#driver.close();
  }

  #takeTurn(): void {
    const { everyMicros = 0 } = this.#reads;
    const goOn = () => {
      if (this.#stopped) return this.#close();
      const passed = this.#set.nowMicros - this.#startedMicros;
      const untilNext = (Math.floor(passed / everyMicros) + 1) * everyMicros - passed;
      this.#cancelNext = this.#schedule(untilNext, () => this.#takeTurn());
    };
    if (this.#known.length === 0) goOn();
    else this.#read(this.#random.pick(this.#known), goOn);
  }

  #read({ id, key }: Written, done: () => void): void {
    const turn = ++this.#turn;
    const sinceMicros = this.#set.nowMicros;
    this.#busy = true;
    const returned = this.#calls.begin({ kind: 'read', key });
    const { readPreference } = this.#reads;
    const operation = {
      kind: 'read',
      command: this.#command(id),
      retryable: true,
      ...(readPreference && { readPreference }),
      ...(this.#session && { session: this.#session }),
    } as const;
    const attempting = (attempt: Attempt) => this.#log.attempt(turn, attempt);
    runWaiting(performOperation(this.#driver, operation, attempting), (outcome) => {
      const told = toldOf(outcome, 'read');
      this.#log.outcome(turn, sinceMicros, outcome, told);
      const [document] = outcome.kind === 'reply' && told.outcome === 'read' ? firstBatch(outcome.reply) : [];
      const value = heldBy(document, this.#action.field);
      returned(told.outcome === 'read' ? 'ok' : 'fail', value === undefined ? {} : { value });
      this.#busy = false;
      done();
    });
  }

  #command(id: unknown): ReadonlyMap<string, unknown> {
    const [db, collection] = this.#action.place;
    return new Map<string, unknown>([
      ['find', collection],
      ['filter', new Map([['_id', id]])],
      ['limit', 1],
      ['singleBatch', true],
      ...(this.#reads.readConcern ? [['readConcern', this.#reads.readConcern] as const] : []),
      ...(this.#reads.maxTimeMS === undefined ? [] : [['maxTimeMS', this.#reads.maxTimeMS] as const]),
      ['$db', db],
    ]);
  }
}
