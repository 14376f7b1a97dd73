/** The set was stopped, by `stop()` or by a failure, which is then the cause. */
export class SetStoppedError extends Error {
  constructor(options?: { readonly cause?: unknown }) {
    super('the set is stopped: start another', options);
    this.name = 'SetStoppedError';
  }
}
