/** Something that a person does wrong, and what the answer has to say: where it is wrong, and the way out. What is wrong is the rest of it. */
export interface Mistake {
  /** In words that begin with a capital, for docs/why.md. */
  readonly did: string;
  /** A part of what is printed that says where: file, line and column; an option; a field; a step. */
  readonly where: string;
  /** A part of it that says what to do: what was meant, what is possible, which command takes it. */
  readonly wayOut: string;
}

/** A file of one scenario. */
export interface ScenarioMistake extends Mistake {
  /** What stands under `steps:`, without the indentation; or the whole file. */
  readonly steps?: string;
  /** What stands before it. */
  readonly head?: string;
  readonly file?: string;
}

/** A command line, with the files that it needs. */
export interface LineMistake extends Mistake {
  readonly line: string;
}

/** A call of the API, or a command of a client. */
export interface CallMistake extends Mistake {
  /** As people write it. */
  readonly code: string;
}
