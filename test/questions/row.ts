/** A question of which the answer is known: what happens, what is asked, and what is printed. */
export interface Row {
  readonly what: string;
  /** Something that did not happen. */
  readonly silence: boolean;
  /** A scenario's `replicaSet`, and what else stands before its steps. */
  readonly set: string;
  readonly steps: readonly string[];
  /** Behind `replsim why FILE`. */
  readonly ask: string;
  readonly answer: readonly string[];
}
