import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { required } from '@replsim/protocol';
import { AlreadyTold, type Io } from '../io.ts';
import type { Outcome } from '../reporters/reporter.ts';
import type { Asked, Turn } from './playOne.ts';

/** What a process is handed: a turn, whose scenario it reads anew, as what it is read into does not cross from one to another. */
export interface ProcessTurn extends Turn {
  readonly text: string;
  readonly asked: Asked;
}

/** What a process hands back: what it had to say on the way, and the outcome, or an exit code where there is none. */
export type ProcessAnswer = { readonly said: string } & ({ readonly outcome: Outcome } | { readonly code: number });

/** What processes run, `playForParent`, and how many of them. */
export interface Processes {
  readonly program: URL;
  readonly atOnce: number;
}

/**
 * Plays in several processes: threads of one would share its collector and compiler, and take a sixth more of the cores for the same. One
 * that is done takes the next turn; outcomes come in the order of the turns, whichever ends first, so that nobody sees from them
 * how many there were.
 * @param given is told of each turn that a process begins
 * @throws AlreadyTold where a run came to no outcome, when its turn comes
 */
export async function* playInProcesses(
  turns: readonly ProcessTurn[],
  { program, atOnce }: Processes,
  io: Pick<Io, 'err'>,
  given: (index: number) => void,
): AsyncGenerator<Outcome> {
  const queue = turns.entries();
  const answers = turns.map(() => new Later<ProcessAnswer>());
  const children = Array.from({ length: Math.min(atOnce, turns.length) }, () => {
    const child = childThatRuns(program);
    let under: Later<ProcessAnswer> | undefined;
    const takeNext = () => {
      const { value } = queue.next();
      if (value === undefined) return;
      const [index, turn] = value;
      under = answers[index];
      given(index);
      child.send(turn);
    };
    child.on('message', (answer: ProcessAnswer) => {
      under?.resolve(answer);
      takeNext();
    });
    // What no run throws, such as a heap that is full; another child may come first, this run's turn comes too.
    onEnd(child, (error) => under?.reject(error));
    takeNext();
    return child;
  });
  try {
    for (const index of turns.keys()) {
      const answer = await required(answers[index], 'answer of a turn').promise;
      if (answer.said !== '') io.err(answer.said);
      if ('code' in answer) throw new AlreadyTold(answer.code);
      yield answer.outcome;
    }
  } finally {
    for (const child of children) child.kill();
  }
}

function childThatRuns(program: URL): ChildProcess {
  return fork(fileURLToPath(program), { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
}

/** Tells how a child came to its end, with what it wrote on the way. */
function onEnd(child: ChildProcess, ended: (error: Error) => void): void {
  let written = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  child.on('error', ended);
  child.on('close', (code, signal) =>
    ended(
      new Error(`a process that plays scenarios has ended with ${signal ?? `exit code ${code}`}: ${written.trim()}`),
    ),
  );
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
