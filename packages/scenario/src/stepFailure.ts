/** A step that did not do what the scenario says: what was asked, and what came back. */
export class StepFailure extends Error {
  readonly asked: string;
  readonly got: string;

  constructor(asked: string, got: string) {
    super(`${asked}: ${got}`);
    this.name = 'StepFailure';
    this.asked = asked;
    this.got = got;
  }
}
