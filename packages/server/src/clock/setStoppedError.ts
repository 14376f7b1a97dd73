/** Thrown by every method once the set has stopped, through `stop()` or through a failure. After a failure, `cause` holds it. */
export class SetStoppedError extends Error {
  constructor(options?: { readonly cause?: unknown }) {
    super('the set is stopped: start another', options);
    this.name = 'SetStoppedError';
  }
}
