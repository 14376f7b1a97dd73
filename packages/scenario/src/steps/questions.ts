import { formatDuration, formatInstant } from '@replsim/kernel';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Action, Answer, Step } from '../scenario.ts';
import type { LateFailure } from '../stage/lateFailure.ts';
import { StepFailure, stepFailureOf } from '../stage/stepFailure.ts';
import type { Finding } from './findings.ts';

/** A question to who reads. */
export interface AskAction extends Action {
  readonly question: string;
  readonly answer: Answer;
  readonly choices: readonly (string | number)[];
  /** So long after it is asked the answer is looked at. */
  readonly inMicros: number;
}

/** How questions are answered: as of now, with what steps have made known so far, and by chance of its own. */
export type Finder = (look: AskAction['answer']['look']) => Finding;

interface Open {
  readonly step: Step;
  readonly number: number;
  readonly action: AskAction;
  readonly dueMicros: number;
  readonly find: Finder;
}

/**
 * The questions of a run. An answer that is looked at later is looked at between the events of the run, which takes no notice.
 * What goes wrong with one is known later than the step that asked it, and so is kept until somebody asks.
 */
export class Questions {
  readonly #set: ReplicaSetApi;
  readonly #open = new Set<Open>();
  #asked = 0;
  #failed: LateFailure | undefined;

  constructor(set: ReplicaSetApi) {
    this.#set = set;
  }

  /** The first that could not be answered. */
  get failed(): LateFailure | undefined {
    return this.#failed;
  }

  /** Puts a question, and sees to it that it is answered. */
  ask(step: Step, action: AskAction, find: Finder): void {
    const { question, choices, inMicros, answer } = action;
    const number = ++this.#asked;
    const dueMicros = this.#set.nowMicros + inMicros;
    const open = { step, number, action, dueMicros, find };
    const due = inMicros > 0 ? { dueMicros } : {};
    this.#set.record({ type: 'asked', number, question, choices, form: answer.form, ...due });
    this.#open.add(open);
    if (inMicros === 0) this.#answer(open);
    else this.#set.lookAt(dueMicros, () => this.#answer(open));
  }

  /** The run is over: what is due is answered, and a question that comes too late for it was asked in vain. */
  close(): void {
    const { nowMicros } = this.#set;
    for (const open of this.#open) {
      if (open.dueMicros <= nowMicros) this.#answer(open);
      else
        this.#fail(
          open,
          new StepFailure(
            `the answer at ${formatInstant(open.dueMicros)}`,
            `the run is over at ${formatInstant(nowMicros)}, so there is no answer`,
            {
              advice: `let time pass: "- advance: ${formatDuration(wholeMillis(open.dueMicros - nowMicros))}" as the last step`,
            },
          ),
        );
    }
  }

  #answer(open: Open): void {
    this.#open.delete(open);
    const { number, action, find } = open;
    const { question, choices, answer } = action;
    const finding = lookedUp(() => find(answer.look));
    if ('silence' in finding) this.#fail(open, new StepFailure('an answer', finding.silence));
    else if (choices.includes(finding.found))
      this.#set.record({ type: 'answered', number, question, answer: finding.found });
    else
      this.#fail(
        open,
        new StepFailure(`one of ${choices.join(', ')}`, String(finding.found), {
          advice: `add it to "choices", with what it could be taken for`,
        }),
      );
  }

  #fail({ step, action: { question } }: Open, failure: StepFailure): void {
    this.#set.record({ type: 'checked', text: `ask: ${question}`, held: false, detail: failure.got });
    this.#failed ??= { step, failure };
  }
}

/** Not less, as people write it. */
function wholeMillis(micros: number): number {
  return Math.ceil(micros / 1000) * 1000;
}

/** What cannot be sent is nobody's to answer. */
function lookedUp(find: () => Finding): Finding {
  try {
    return find();
  } catch (error) {
    const failure = stepFailureOf(error);
    if (failure) return { silence: failure.got };
    throw error;
  }
}
