import { type TraceEvent, TraceNames } from '@replsim/protocol';
import { advanced, learned } from './commitPoints.ts';
import { whatTakesItAway } from './fit.ts';
import type { Kind } from './kinds.ts';
import { appended, initialSync, rolledBack, wrote } from './logs.ts';
import { receive } from './members.ts';
import { configInstalled, started, stopped } from './processes.ts';
import { answered, elected, steppedDown, termChanged, voted } from './roles.ts';
import { NotRaftMongo, Run } from './run.ts';

/**
 * Holds a run against MongoDB's specification RaftMongo.tla: keeps terms, roles, logs, commit points and configs as the
 * trace tells them, and takes each change for one of its actions. It shares no code with members or checkers.
 * The specification's actions look at two servers at once; messages take time, so what a member acts on may be a thing of
 * the past. Such a step is counted apart. Upstream: src/mongo/tla_plus/Replication/RaftMongo.
 */
export class RaftMongoReader {
  readonly #names = new TraceNames();
  readonly #run = new Run();
  /** Why the rest of the run is not held against the specification, and from when. */
  unfit: { readonly atMicros: number; readonly why: string } | undefined;

  get tally(): ReadonlyMap<Kind, number> {
    return this.#run.tally;
  }

  /** @throws NotRaftMongo */
  observe(event: TraceEvent): void {
    if (this.unfit !== undefined) return;
    const why = whatTakesItAway(event, this.#run.members);
    if (why !== undefined) {
      this.unfit = { atMicros: event.atMicros, why };
      return;
    }
    try {
      step(this.#run, this.#names.named(event));
    } catch (error) {
      if (!(error instanceof NotRaftMongo)) throw error;
      const who = 'member' in event ? event.member : '';
      throw new NotRaftMongo(`${(event.atMicros / 1e6).toFixed(6)}s ${who}: ${error.message}`);
    }
  }

  /** Elections that nobody has won by the end of the run are told then. */
  end(): void {
    for (const _ of this.#run.raised) this.#run.count('outside: lostElection');
    this.#run.raised.clear();
  }
}

function step(run: Run, event: TraceEvent): void {
  switch (event.type) {
    case 'processStarted':
      return started(run, event);
    case 'processStopped':
      return stopped(run, run.member(event.member));
    case 'configInstalled':
      return configInstalled(run, event);
    case 'termChanged':
      return termChanged(run, event);
    case 'electionStarted':
      run.member(event.member).stands = true;
      return;
    case 'voteAnswered':
      return answered(run, event);
    case 'votePersisted':
      return voted(run, event);
    case 'electionWon':
      return elected(run, event);
    case 'steppedDown':
      return steppedDown(run, run.member(event.member));
    case 'oplogWritten':
      return event.origin === 'self' ? wrote(run, event) : appended(run, event);
    case 'initialSync':
      return initialSync(run, event);
    case 'rollbackStarted':
      run.member(event.member).rollbackSource = event.source;
      return;
    case 'rolledBack':
      return rolledBack(run, event);
    case 'positionsReceived':
      return receive(run.member(event.member), event.optimes);
    case 'commitPoint':
      return event.learned ? learned(run, event) : advanced(run, event);
  }
}
