import type { TraceEvent } from '@replsim/protocol';
import type { Kind } from './kinds.ts';
import { BehaviourReader } from './modules/behaviour.ts';
import { RaftMongoReader } from './reader.ts';

/** A run is read while it is played, so that nobody plays it twice. */
interface RunReader {
  observe(event: TraceEvent): void;
  end(): void;
}

/**
 * Holds many runs against RaftMongo, and against what `npm run tla` makes of them. A run fits if somebody is elected in it and nothing takes the
 * ground away on which RaftMongo stands (fit.ts).
 */
export class HeldRuns {
  readonly steps = new Map<Kind, number>();
  /** Names of runs, by the reason why they do not fit. */
  readonly notFit = new Map<string, string[]>();
  /** Runs that `npm run tla` writes to their end, and why others end before. */
  whole = 0;
  readonly early: string[] = [];

  reader(name: string): RunReader {
    const reader = new RaftMongoReader();
    const exporter = new BehaviourReader();
    return {
      observe: (event) => {
        reader.observe(event);
        exporter.observe(event);
      },
      end: () => {
        reader.end();
        this.#take(name, reader);
        const { until, steps } = exporter.end();
        if (until !== undefined) this.early.push(`${name}: ${until.why}`);
        else if (steps.length > 0) this.whole += 1;
      },
    };
  }

  #take(name: string, { tally, unfit }: RaftMongoReader): void {
    for (const [kind, count] of tally) this.steps.set(kind, (this.steps.get(kind) ?? 0) + count);
    const wasElected = tally.has('BecomePrimaryByMagic') || tally.has('BecomePrimaryByMagic, delayed');
    const why = unfit?.why ?? (wasElected ? undefined : 'nobody is elected');
    if (why !== undefined) this.notFit.set(why, [...(this.notFit.get(why) ?? []), name]);
  }
}
