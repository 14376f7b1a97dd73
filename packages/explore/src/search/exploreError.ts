/** What is asked of an exploration cannot be done; the message says why, and what can. */
export class ExploreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ExploreError';
  }
}
