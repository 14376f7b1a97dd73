/** How long something took at most, by two clocks. Unit: ms. */
export interface Longest {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** What the process of a set is asked for. */
export type ToServer = 'begin' | 'end';

/** What it answers. */
export type FromServer =
  | { readonly type: 'ready'; readonly uri: string; readonly loopMs: number }
  | { readonly type: 'begun' }
  | { readonly type: 'ended'; readonly cpuMs: number; readonly longest: Longest };

/** What one row cost. */
export interface Measured {
  readonly name: string;
  /** CPU time of the set's process. Unit: s. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** How long the longest ping of another client took. Unit: ms. */
  readonly pingMs: number;
  /** How much CPU time the set's process took while a ping waited, at most. Unit: ms. */
  readonly pingCpuMs: number;
  /** That, in runs of a calibrated loop of the same process. */
  readonly pingLoops: number;
  /** It was not waited for to its end. */
  readonly isGivenUp: boolean;
  /** The code and the beginning of the text of the first error; absent if there was none. */
  readonly error?: string;
}
