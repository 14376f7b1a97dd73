import { FAULT_KINDS, type FAULTS, type FaultInputs, type FaultKind } from '@replsim/replset';

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
      const value = function (this: Faulty, what: unknown): Promise<void> {
        return this.#play(kind, what);
      };
      Object.defineProperty(Faulty.prototype, kind, { value });
    }
  }
}

/** A class that has the methods. Whoever extends it says by `play` how a fault is brought about. */
export const FaultMethods = Faulty as new (play: Play) => Faulty & Methods;
