import type {
  PingQuestion,
  ReevaluationQuestion,
  SourceCandidate,
  SourceMetadata,
  SourceReadPreference,
} from '@replsim/oplog';
import type { OpTime } from '@replsim/protocol';
import type { Replication } from './replication.ts';

/**
 * What bears on the choice of a sync source, and on leaving one. Every batch asks, an empty one too, and nearly always the
 * first look settles it: so nothing is gathered beforehand, each answer is read from its owner when it is asked for.
 */
export class SourceQuestion implements ReevaluationQuestion, PingQuestion {
  readonly #repl: Replication;
  readonly lastFetched: OpTime;
  readonly readPreference: SourceReadPreference;
  /** The source in use; empty while one is chosen. */
  readonly source: string;
  readonly metadata: SourceMetadata | undefined;
  readonly inInitialSync = false;

  constructor(
    repl: Replication,
    lastFetched: OpTime,
    readPreference: SourceReadPreference,
    source: string,
    metadata: SourceMetadata | undefined,
  ) {
    this.#repl = repl;
    this.lastFetched = lastFetched;
    this.readPreference = readPreference;
    this.source = source;
    this.metadata = metadata;
  }

  get members(): readonly SourceCandidate[] {
    return this.#repl.topology.views;
  }

  /** A question is put only by a member of the set. */
  get self(): SourceCandidate {
    const { topology } = this.#repl;
    return topology.views[topology.selfIndex]!;
  }

  get primaryHost(): string | undefined {
    return this.#repl.topology.primaryHost;
  }

  get forced(): string | undefined {
    return this.#repl.syncSources.forced;
  }

  get chosenByCommand(): boolean {
    return this.#repl.syncSources.chosenByCommand;
  }

  get chainingAllowed(): boolean {
    return this.#repl.syncSources.readPreference === 'nearest';
  }

  get changesInLastHour(): number {
    return this.#repl.syncSources.choicesInLastHour;
  }

  get roundTrips(): number {
    let sum = 0;
    for (const { series } of this.#repl.topology.others) sum += series.roundTrips;
    return sum;
  }

  get maxSyncSourceLagSecs(): number {
    return this.#parameter('maxSyncSourceLagSecs');
  }

  get thresholdMillis(): number {
    return this.#parameter('changeSyncSourceThresholdMillis');
  }

  get maxChangesPerHour(): number {
    return this.#parameter('maxNumSyncSourceChangesPerHour');
  }

  get preferPrimaryWithinMs(): number | undefined {
    return this.#repl.core.traits.syncSourcePrefersPrimary ? this.thresholdMillis : undefined;
  }

  isDenylisted(host: string): boolean {
    return this.#repl.syncSources.isDenylisted(host);
  }

  #parameter(name: string): number {
    return this.#repl.host.parameters.number(name);
  }
}
