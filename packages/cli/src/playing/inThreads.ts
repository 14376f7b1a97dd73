import { Worker } from 'node:worker_threads';
import { required } from '@replsim/protocol';
import { AlreadyTold, type Io } from '../io.ts';
import type { Outcome } from '../reporters/reporter.ts';
import type { Asked, Turn } from './playOne.ts';

/** A turn for a thread, which reads the scenario anew: what it is read into does not cross from one thread to another. */
export interface ThreadTurn extends Turn {
  readonly text: string;
}

/** What a thread hands back: what it had to say on the way, and the outcome, or an exit code where there is none. */
export type ThreadAnswer = { readonly said: string } & ({ readonly outcome: Outcome } | { readonly code: number });

/** What threads run, `playForParent`, and how many of them. */
export interface Threads {
  readonly program: URL;
  readonly atOnce: number;
}

/**
 * Plays in several threads of this process. A thread that is done takes the next turn; outcomes come in the order of the turns,
 * whichever ends first, so that nobody sees from them how many threads there were.
 * @param given is told of each turn that a thread begins
 * @throws AlreadyTold where a run came to no outcome, when its turn comes
 */
export async function* playInThreads(
  turns: readonly ThreadTurn[],
  asked: Asked,
  { program, atOnce }: Threads,
  io: Pick<Io, 'err'>,
  given: (index: number) => void,
): AsyncGenerator<Outcome> {
  const queue = turns.entries();
  const answers = turns.map(() => new Later<ThreadAnswer>());
  const threads = Array.from({ length: Math.min(atOnce, turns.length) }, () => {
    const thread = new Worker(program, { workerData: asked });
    let under: Later<ThreadAnswer> | undefined;
    const takeNext = () => {
      const { value } = queue.next();
      if (value === undefined) return;
      const [index, turn] = value;
      under = answers[index];
      given(index);
      thread.postMessage(turn);
    };
    thread.on('message', (answer: ThreadAnswer) => {
      under?.resolve(answer);
      takeNext();
    });
    // What no run throws, such as a heap that is full; another thread may come first, this run's turn comes too.
    thread.on('error', (error) => under?.reject(error));
    takeNext();
    return thread;
  });
  try {
    for (const index of turns.keys()) {
      const answer = await required(answers[index], 'answer of a turn').promise;
      if (answer.said !== '') io.err(answer.said);
      if ('code' in answer) throw new AlreadyTold(answer.code);
      yield answer.outcome;
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

/** A promise that others keep. */
class Later<T> {
  readonly promise: Promise<T>;
  declare resolve: (value: T) => void;
  declare reject: (error: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Who waits for an earlier one hears of this later; until then it is nobody's mistake.
    this.promise.catch(() => {});
  }
}
