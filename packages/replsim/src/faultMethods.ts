import { FAULT_KINDS, type FAULTS, type FaultInputs, type FaultKind } from '@replsim/replset';
import { tooMany } from './limitArguments.ts';

/** Each fault of the table as a method, which takes what a scenario's step takes; resolves when it has happened. */
type Methods = {
  readonly [Kind in keyof typeof FAULTS]: (typeof FAULTS)[Kind] extends { readonly absent: unknown }
    ? (what?: FaultInputs[Kind]) => Promise<void>
    : (what: FaultInputs[Kind]) => Promise<void>;
};

type Play = (kind: FaultKind, what: unknown) => Promise<void>;

class Faulty {
  readonly #play: Play;

  constructor(play: Play) {
    this.#play = play;
  }

  static {
    for (const kind of FAULT_KINDS) {
      const value = function (this: Faulty, ...given: unknown[]): Promise<void> {
        const refusal = tooMany(kind, given, 1);
        return refusal === undefined ? this.#play(kind, given[0]) : Promise.reject(refusal);
      };
      Object.defineProperty(Faulty.prototype, kind, { value });
    }
  }
}

/** A class that has the methods. Whoever extends it says by `play` how a fault is brought about. */
export const FaultMethods = Faulty as new (play: Play) => Faulty & Methods;
