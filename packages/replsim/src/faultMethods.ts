import { FAULT_KINDS, type FAULTS, type FaultInputs, type FaultKind } from '@replsim/replset';
import { tooMany } from '@replsim/server';

/** Each fault of the table as a method, which takes what a scenario's step takes; resolves when it has happened. */
type Methods = {
  readonly [Kind in keyof typeof FAULTS]: (typeof FAULTS)[Kind] extends { readonly absent: unknown }
    ? (what?: FaultInputs[Kind]) => Promise<void>
    : (what: FaultInputs[Kind]) => Answer<Kind>;
};

/** How many connections are meant now, of a fault about clients. */
type Answer<Kind extends FaultKind> = Kind extends 'clients'
  ? Promise<{ readonly connections: number }>
  : Promise<void>;

type Play = (kind: FaultKind, what: unknown) => Promise<object>;

class Faulty {
  readonly #play: Play;

  constructor(play: Play) {
    this.#play = play;
  }

  static {
    for (const kind of FAULT_KINDS) {
      const value = async function (this: Faulty, ...given: unknown[]): Promise<object | undefined> {
        const refusal = tooMany(kind, given, 1);
        if (refusal !== undefined) throw refusal;
        const answer = await this.#play(kind, given[0]);
        return Object.keys(answer).length > 0 ? answer : undefined;
      };
      Object.defineProperty(Faulty.prototype, kind, { value });
    }
  }
}

/** A class that has the methods. Whoever extends it says by `play` how a fault is brought about. */
export const FaultMethods = Faulty as new (play: Play) => Faulty & Methods;
