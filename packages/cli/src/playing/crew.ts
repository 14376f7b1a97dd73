import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Measured, MeasureInput, Trial, TrialInput } from '@replsim/explore';
import { required } from '@replsim/protocol';
import type { ScenarioFile } from '../files.ts';
import { AlreadyTold, type Io } from '../io.ts';
import { isMistaken, type Known, type Mistaken } from '../loaded.ts';
import type { Outcome } from '../reporters/reporter.ts';
import { type Asked, bugOutcome, type Turn } from './playOne.ts';

/** What a process of a crew is asked to do. */
export type Task =
  /** To read files, which it knows from then on. */
  | { readonly kind: 'read'; readonly files: readonly ScenarioFile[] }
  /** To play a turn of one; its text is there if the process does not know it yet. */
  | { readonly kind: 'play'; readonly turn: Turn; readonly asked: Asked; readonly text: string | undefined }
  /** To play a text of which nothing else is known. */
  | { readonly kind: 'try'; readonly input: TrialInput }
  /** To play one, and take its figures. */
  | { readonly kind: 'measure'; readonly input: MeasureInput };

/** What it had to say on the way, and what came of it: an exit code where nothing did. */
export type Answer<Value> = { readonly said: string } & ({ readonly value: Value } | { readonly code: number });

/** What processes run, `playForParent`, and how many of them. */
export interface Processes {
  readonly program: URL;
  readonly atOnce: number;
}

/**
 * Processes that read scenarios, and play them: threads of one would share its collector and compiler, and take a sixth more of the cores
 * for the same.
 */
export class Crew {
  readonly #program: URL;
  readonly #members: Member[];
  /** Those that try nothing. */
  readonly #idle: Member[];
  readonly #waiting: ((member: Member) => void)[] = [];
  #isOver = false;

  constructor({ program, atOnce }: Processes) {
    this.#program = program;
    this.#members = Array.from({ length: atOnce }, () => new Member(program));
    this.#idle = [...this.#members];
  }

  get atOnce(): number {
    return this.#members.length;
  }

  /** Each of them reads a part, while the others do. What comes of it is in the order of the files. */
  async read(files: readonly ScenarioFile[], io: Pick<Io, 'err'>): Promise<readonly (Known | Mistaken)[]> {
    const { atOnce } = this;
    const answers = await Promise.all(
      this.#members.map((member, k) => member.read(files.filter((_, i) => i % atOnce === k))),
    );
    const parts = answers.map((answer) => valueIn(answer, io));
    return files.map((file, i) => {
      const each = required(parts[i % atOnce]?.[Math.floor(i / atOnce)], 'file that was read');
      return isMistaken(each) ? each : { ...each, ...file };
    });
  }

  /**
   * Plays. Who is done takes the next turn, of a scenario that it has read if there is such; outcomes come in the order of the turns, whichever
   * ends first, so that nobody sees from them how many there were.
   * @param given is told of each turn that is begun
   * @throws AlreadyTold where a disk has ended a run, when its turn comes
   */
  async *play(
    runs: readonly (Turn & Known)[],
    asked: Asked,
    io: Pick<Io, 'err'>,
    given: (index: number) => void,
  ): AsyncGenerator<Outcome> {
    const waiting = new Set(runs.keys());
    const answers = runs.map(() => new Later<Answer<Outcome>>());
    const work = async (first: Member) => {
      let member = first;
      for (;;) {
        const index = firstOf(waiting, (each) => member.knows(required(runs[each], 'run').path));
        if (index === undefined) return;
        waiting.delete(index);
        given(index);
        const answer = required(answers[index], 'answer of a run');
        try {
          answer.resolve(await member.play(required(runs[index], 'run'), asked));
        } catch (error) {
          // What no run throws, such as a heap that is full: it comes when this run's turn does, and another process plays the others.
          answer.reject(error);
          member = this.#another(member);
        }
      }
    };
    for (const member of [...this.#members]) void work(member);
    for (const [index, answer] of answers.entries()) yield await outcomeOf(answer, required(runs[index], 'run'), io);
  }

  /** Plays a text in whichever process is free, and says what that has shown. @throws AlreadyTold */
  try(input: TrialInput, io: Pick<Io, 'err'>): Promise<Trial> {
    return this.#inFree((member) => member.ask<Trial>({ kind: 'try', input }), io);
  }

  /** The same, and takes the run's figures. @throws AlreadyTold */
  measure(input: MeasureInput, io: Pick<Io, 'err'>): Promise<Measured> {
    return this.#inFree((member) => member.ask<Measured>({ kind: 'measure', input }), io);
  }

  /**
   * Asks whichever process is free. A process that ends meanwhile, as one does that the system takes the memory from, is replaced, and its run
   * played again: it is another's fault unless the run ends the next one too.
   */
  async #inFree<Value>(asked: (member: Member) => Promise<Answer<Value>>, io: Pick<Io, 'err'>): Promise<Value> {
    let member = this.#idle.pop() ?? (await new Promise<Member>((resolve) => this.#waiting.push(resolve)));
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return valueIn(await asked(member), io);
        } catch (error) {
          if (error instanceof AlreadyTold || this.#isOver) throw error;
          member = this.#another(member);
          if (attempt === ATTEMPTS) throw error;
        }
      }
    } finally {
      const waiting = this.#waiting.shift();
      if (waiting) waiting(member);
      else this.#idle.push(member);
    }
  }

  /** A process in the place of one that has ended. */
  #another(ended: Member): Member {
    const member = new Member(this.#program);
    this.#members.splice(this.#members.indexOf(ended), 1, member);
    return member;
  }

  /** Whatever they are doing. */
  end(): void {
    this.#isOver = true;
    for (const member of this.#members) member.end();
  }
}

/** How often a run is begun whose process does not live to see its end. */
const ATTEMPTS = 2;

/** One that is wanted before the others, or else the first. */
function firstOf(waiting: ReadonlySet<number>, isWanted: (index: number) => boolean): number | undefined {
  for (const index of waiting) if (isWanted(index)) return index;
  const [first] = waiting;
  return first;
}

/** What came of a run. A process that ended in it is a bug of ours, as an exception is. */
async function outcomeOf(answer: Later<Answer<Outcome>>, run: Turn & Known, io: Pick<Io, 'err'>): Promise<Outcome> {
  let answered: Answer<Outcome>;
  try {
    answered = await answer.promise;
  } catch (error) {
    const outcome = bugOutcome({ ...run, name: run.scenario.name }, error);
    io.err(`this is a bug in replsim; repeat with: ${outcome.repeat}\n${(error as Error).message}\n`);
    return outcome;
  }
  return valueIn(answered, io);
}

/** What came of it, after what there was to say is said. @throws AlreadyTold */
function valueIn<Value>(answer: Answer<Value>, io: Pick<Io, 'err'>): Value {
  if (answer.said !== '') io.err(answer.said);
  if ('code' in answer) throw new AlreadyTold(answer.code);
  return answer.value;
}

/** One process, which does one thing at a time. */
class Member {
  readonly #child: ChildProcess;
  readonly #known = new Set<string>();
  #under: Later<Answer<unknown>> | undefined;

  constructor(program: URL) {
    this.#child = fork(fileURLToPath(program), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.on('message', (answer: Answer<unknown>) => this.#under?.resolve(answer));
    onEnd(this.#child, (error) => {
      this.#under ??= new Later();
      this.#under.reject(error);
    });
  }

  knows(path: string): boolean {
    return this.#known.has(path);
  }

  /** Of each what is known of it, or what is wrong with it, in their order. */
  read(files: readonly ScenarioFile[]): Promise<Answer<readonly (Pick<Known, 'scenario' | 'warnings'> | Mistaken)[]>> {
    for (const { path } of files) this.#known.add(path);
    return this.ask({ kind: 'read', files });
  }

  play({ text, path, seed, variant, logs }: Turn & ScenarioFile, asked: Asked): Promise<Answer<Outcome>> {
    const turn = { path, seed, ...(variant !== undefined && { variant }), ...(logs !== undefined && { logs }) };
    const isKnown = this.#known.has(path);
    this.#known.add(path);
    return this.ask({ kind: 'play', turn, asked, text: isKnown ? undefined : text });
  }

  end(): void {
    this.#child.kill();
  }

  ask<Value>(task: Task): Promise<Answer<Value>> {
    const under = new Later<Answer<unknown>>();
    this.#under = under;
    this.#child.send(task);
    return under.promise as Promise<Answer<Value>>;
  }
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
