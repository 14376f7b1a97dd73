/** A stretch of virtual time that has a length in film of its own. */
export interface Span {
  readonly kind: string;
  readonly fromMicros: number;
  readonly toMicros: number;
  readonly filmMs: number;
}
