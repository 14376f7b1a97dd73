import type { Step } from '../scenario.ts';

/** A `sometimes` of a run. */
export interface Sometimes {
  /** In the scenario's file. */
  readonly line: number;
  readonly text: string;
  /** How often it was asked, and held. */
  readonly asked: number;
  readonly held: number;
}

/** Counts what need not hold, and whether it did. */
export class Reached {
  readonly #counts: ReadonlyMap<Step, { asked: number; held: number }>;

  /** @param steps all of them, those too that stand in others */
  constructor(steps: readonly Step[]) {
    const asking = steps.filter(({ key }) => key === 'sometimes');
    this.#counts = new Map(asking.map((step) => [step, { asked: 0, held: 0 }]));
  }

  asked(step: Step, held: boolean): void {
    const counts = this.#counts.get(step);
    if (counts === undefined) return;
    counts.asked++;
    if (held) counts.held++;
  }

  /** In the order of the file. */
  get all(): readonly Sometimes[] {
    return [...this.#counts].map(([{ line, text }, counts]) => ({ line, text, ...counts }));
  }
}
