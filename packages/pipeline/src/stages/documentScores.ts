import type { TextScores } from '@replsim/query';

/**
 * What one operation knows of how well documents fit its search: a score belongs to the bytes that were looked at, and to those
 * that stages made of them.
 */
export class DocumentScores implements TextScores {
  readonly #scores = new WeakMap<Uint8Array, number>();

  of = (document: Uint8Array): number | undefined => this.#scores.get(document);

  note(document: Uint8Array, score: number): void {
    this.#scores.set(document, score);
  }

  /** Gives the score of a document to what was made of it. */
  carry(from: Uint8Array, to: Uint8Array): void {
    const score = this.#scores.get(from);
    if (score !== undefined) this.#scores.set(to, score);
  }
}
