/** One document to insert. */
export interface InsertStatement {
  /** Its place in the command. */
  readonly index: number;
  readonly document: Uint8Array;
  readonly stmtId: number;
}

/** Who hears what became of each statement. */
export interface InsertOutcomes {
  inserted(index: number): void;
  /** Throws `error` again if it ends the whole command. @returns whether to go on with the next statement */
  failed(index: number, error: unknown): boolean;
}
