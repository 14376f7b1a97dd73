/** A step that did not do what the scenario says: what was asked, and what came back. */
export class StepFailure extends Error {
  readonly asked: string;
  readonly got: string;
  /** What it failed for, where that is known. */
  readonly wanted: 'writeConcern' | 'primary' | undefined;

  constructor(asked: string, got: string, wanted?: 'writeConcern' | 'primary') {
    super(`${asked}: ${got}`);
    this.name = 'StepFailure';
    this.asked = asked;
    this.got = got;
    this.wanted = wanted;
  }
}
