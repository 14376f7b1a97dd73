import { FAULT_KINDS, type FAULTS, type FaultInputs, type FaultKind } from '@replsim/replset';
import { tooMany } from '@replsim/server';

/** Each fault of the table as a method. It takes the same argument as the scenario step, and resolves once the fault has happened. */
type Methods = {
  readonly [Kind in keyof typeof FAULTS]: (typeof FAULTS)[Kind] extends { readonly absent: unknown }
    ? (what?: FaultInputs[Kind]) => Promise<void>
    : (what: FaultInputs[Kind]) => Answer<Kind>;
};

/** A fault of clients resolves with the number of connections that it applies to now. */
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

/** A base class with these methods. The subclass passes `play`, which carries out a fault. */
export const FaultMethods = Faulty as new (play: Play) => Faulty & Methods;
