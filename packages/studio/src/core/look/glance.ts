import { CommandError, decodePromoted, encodeDocument, type TraceEvent } from '@replsim/protocol';
import { DiskError, type ReplicaSetApi, ReplSet } from '@replsim/replset';
import { Lateness, Members, type PlayOptions, playTo, reasonsWithFilters, type Scenario } from '@replsim/scenario';
import type { Reasons } from '@replsim/why';
import { Arrivals } from './arrivals.ts';
import type { Presence } from './look.ts';

/** What a member answered to a command, or why it did not. */
export type Reply =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly bytes: Uint8Array; readonly silence: string };

/** Asks one member: a command for a database. */
export type Ask = (db: string, command: object) => Reply;

/**
 * A run at an instant, to be looked at: the scenario played up to there on a set of its own. Nothing goes on in it, so that whatever is
 * asked in whatever order has the same answers.
 */
export class Glance {
  readonly set: ReplicaSetApi;
  readonly members: Members;
  readonly reasons: Reasons;
  readonly lateness: Lateness;
  readonly arrivals: Arrivals;

  /** @throws CommandError where the set does not start */
  static async at(scenario: Scenario, run: Pick<PlayOptions, 'seed' | 'playsOn'>, atMicros: number): Promise<Glance> {
    const reasons = reasonsWithFilters();
    const lateness = new Lateness();
    const arrivals = new Arrivals();
    let isPlaying = true;
    const onTrace = (event: TraceEvent): void => {
      // What is done to look is no part of the run.
      if (!isPlaying) return;
      reasons.observe(event);
      lateness.observe(event);
      arrivals.observe(event);
    };
    const set = await playTo(scenario, ReplSet.create, atMicros, { ...run, onTrace });
    isPlaying = false;
    reasons.passed(set.nowMicros);
    return new Glance(set, { reasons, lateness, arrivals });
  }

  constructor(set: ReplicaSetApi, told: Pick<Glance, 'reasons' | 'lateness' | 'arrivals'>) {
    this.set = set;
    this.members = new Members(set);
    this.reasons = told.reasons;
    this.lateness = told.lateness;
    this.arrivals = told.arrivals;
  }

  presence(member: string): Presence {
    const { running, paused } = this.set.status(member);
    return !running ? 'down' : paused ? 'paused' : 'running';
  }

  /** Asks a member that runs. */
  ask(member: string): Ask {
    return (db, command) => {
      const $readPreference = { mode: 'secondaryPreferred' };
      const bytes = this.set.ask(member, encodeDocument({ ...command, $db: db, $readPreference }));
      const { ok, codeName, errmsg } = decodePromoted(bytes);
      return ok === 1 ? { ok: true, bytes } : { ok: false, bytes, silence: `it answers ${codeName}: ${errmsg}` };
    };
  }

  /**
   * Looks at what a member has, even if it answers nobody: into the memory of one that is paused, and onto the disk of one that is
   * down, which is started for that as mongod is to look at a member's data, by itself and on all that its oplog has. It is left as it was.
   * @returns what `read` made of it, or why its disk cannot be read
   */
  async reading<Result>(member: string, read: (ask: Ask) => Result): Promise<Result | { readonly silence: string }> {
    const presence = this.presence(member);
    if (presence === 'running') return read(this.ask(member));
    const refusal = presence === 'paused' ? this.#wake(member) : await this.#openDisk(member);
    if (refusal !== undefined) return { silence: refusal };
    try {
      return read(this.ask(member));
    } finally {
      this.set.fault({ type: presence === 'paused' ? 'pause' : 'kill', member });
    }
  }

  close(): Promise<void> {
    return this.set.close();
  }

  #wake(member: string): undefined {
    this.set.fault({ type: 'resume', member });
  }

  async #openDisk(member: string): Promise<string | undefined> {
    const parameters = { recoverFromOplogAsStandalone: true };
    try {
      // One that is full can be read all the same.
      await this.set.fault({ type: 'disk', member, settings: { full: false } });
      await this.set.fault({ type: 'start', member, options: { as: 'standalone', parameters } });
      return undefined;
    } catch (error) {
      if (!(error instanceof CommandError || error instanceof DiskError)) throw error;
      return `its disk cannot be read: ${error.message}`;
    }
  }
}
