import { required } from '@replsim/protocol';
import { type Action, allows, apply, initialState, type State, type Step } from './raftMongo.ts';

/** How many steps back a message may have left. */
const FURTHEST_BACK = 400;

type Variable = 'log' | 'role' | 'term' | 'commitPoint';

const VARIABLE: Readonly<Record<Action, Variable>> = {
  AppendOplog: 'log',
  RollbackOplog: 'log',
  ClientWrite: 'log',
  BecomePrimaryByMagic: 'role',
  Stepdown: 'role',
  UpdateTermThroughHeartbeat: 'term',
  AdvanceCommitPoint: 'commitPoint',
  LearnCommitPoint: 'commitPoint',
};

/**
 * The steps of a run in an order in which RaftMongo allows each. Its actions look at two servers at once, and members act
 * on messages: a step that is not allowed when it comes about is placed where the message left that led to it.
 */
export class Placing {
  readonly steps: Step[] = [];
  /** Before each step, and after the last. */
  readonly #states: State[];

  constructor(servers: readonly string[]) {
    this.#states = [initialState(servers)];
  }

  get state(): State {
    return required(this.#states.at(-1), 'state after the last step');
  }

  /** @returns false if there is no place for it */
  place(step: Step): boolean {
    if (allows(this.state, step)) {
      this.steps.push(step);
      this.#states.push(apply(this.state, step));
      return true;
    }
    const earliest = Math.max(0, this.steps.length - FURTHEST_BACK);
    for (let at = this.steps.length - 1; at >= earliest; at--) {
      // What the server itself has done to the same variable comes before.
      if (this.#isOfSame(required(this.steps[at], 'step there'), step)) return false;
      const before = required(this.#states[at], 'state before a step');
      if (allows(before, step) && this.#insert(at, before, step)) return true;
    }
    return false;
  }

  #isOfSame(placed: Step, step: Step): boolean {
    if (placed.voters?.includes(step.server)) return true;
    if (placed.server !== step.server) return false;
    const [a, b] = [VARIABLE[placed.action], VARIABLE[step.action]];
    // A role says what may be written and committed.
    return a === b || a === 'role' || b === 'role';
  }

  #insert(at: number, before: State, step: Step): boolean {
    let state = apply(before, step);
    const states = [state];
    for (const later of this.steps.slice(at)) {
      if (!allows(state, later)) return false;
      state = apply(state, later);
      states.push(state);
    }
    this.steps.splice(at, 0, step);
    this.#states.splice(at + 1, Infinity, ...states);
    return true;
  }
}
