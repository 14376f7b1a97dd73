import {
  type Answer,
  answerOf,
  type Explored,
  exploredBy,
  isAnswerTo,
  type MeasuredAnswer,
  type MeasuredArm,
  type MeasureQuestion,
  measuredBy,
  type Progress,
  type Question,
  type Range,
  seedCount,
  type TaskReply,
} from '@replsim/explore';

/** What an asker makes of replies, in whatever order they come. */
export interface Gathering<Result> {
  /** The runs that others are to play. */
  readonly range: Range;
  /** Takes a reply to a range, of which no other was taken. @returns what is wrong with it; undefined if nothing is */
  take(reply: TaskReply, range: Range): string | undefined;
  readonly isDone: boolean;
  readonly progress: Progress;
  /** What it has come to, so far. */
  result(): Result;
}

const FOREIGN = 'a worker gave an answer to something else';

/** Findings count in the order of the runs, so that it ends where one process would have. */
export class ExploreGathering implements Gathering<Explored> {
  readonly range: Range;
  readonly #question: Question;
  readonly #answers: Answer[] = [];
  /** Those that came before one in front of them, by their first run. */
  readonly #early = new Map<number, Answer>();
  /** What was found, and what of it in runs before the first that nobody has answered. */
  readonly #found = new Set<string>();
  readonly #foundInLine = new Set<string>();
  /** The first run that nobody has answered. */
  #to = 0;
  #runs = 0;

  /** @param first the asker's own, which has the first run */
  constructor(question: Question, first: Explored) {
    this.#question = question;
    const to = Math.min(1, first.of);
    this.range = { from: to, to: first.of };
    this.#count(answerOf(first, { from: 0, to }));
  }

  take(reply: TaskReply, { from, to }: Range): string | undefined {
    if (!('answer' in reply)) return FOREIGN;
    const { answer } = reply;
    if (answer.from !== from || answer.to !== to || answer.of !== this.range.to) return FOREIGN;
    this.#count(answer);
    return undefined;
  }

  get isDone(): boolean {
    return this.#foundInLine.size >= this.#question.stopAt || this.#to === this.range.to;
  }

  get progress(): Progress {
    return { runs: this.#runs, of: this.range.to, found: this.#found.size };
  }

  result(): Explored {
    const counted = this.isDone ? this.#answers.filter(({ to }) => to <= this.#to) : this.#answers;
    return exploredBy(counted, this.#question) as Explored;
  }

  #count(answer: Answer): void {
    this.#answers.push(answer);
    this.#early.set(answer.from, answer);
    for (const { sums, found } of answer.stretches) {
      this.#runs += sums.runs;
      if (found) this.#found.add(found.failure.sameAs);
    }
    for (let next = this.#early.get(this.#to); next !== undefined; next = this.#early.get(this.#to)) {
      this.#early.delete(next.from);
      this.#to = next.to;
      for (const { found } of next.stretches) if (found) this.#foundInLine.add(found.failure.sameAs);
      // What comes behind is not counted, as one process would not have played it.
      if (this.#foundInLine.size >= this.#question.stopAt) return;
    }
  }
}

/** All seeds count, whoever is first. */
export class MeasureGathering implements Gathering<readonly MeasuredArm[]> {
  readonly range: Range;
  readonly #question: MeasureQuestion;
  readonly #answers: MeasuredAnswer[] = [];
  #seeds = 0;

  constructor(question: MeasureQuestion) {
    this.#question = question;
    this.range = { from: 0, to: seedCount(question) };
  }

  take(reply: TaskReply, { from, to }: Range): string | undefined {
    if (!('measured' in reply)) return FOREIGN;
    const { measured } = reply;
    if (measured.from !== from || measured.to !== to || !isAnswerTo(this.#question, measured)) return FOREIGN;
    this.#answers.push(measured);
    this.#seeds += to - from;
    return undefined;
  }

  get isDone(): boolean {
    return this.#seeds === this.range.to;
  }

  get progress(): Progress {
    const arms = this.#question.arms.length;
    return { runs: this.#seeds * arms, of: this.range.to * arms, found: 0 };
  }

  result(): readonly MeasuredArm[] {
    return measuredBy(this.#answers, this.#question);
  }
}
