import type { IdSource } from '@replsim/protocol';
import type { Meter } from '@replsim/query';
import type { ExpressionWorld } from './expressions.ts';
import type { Search } from './search.ts';
import type { Stage } from './stages.ts';
import type { Work } from './work.ts';

/** What the stages of a pipeline may know beside their input. */
export interface PipelineWorld extends ExpressionWorld {
  readonly ids: IdSource;
  /** Of the operation that runs them: what they do is counted there. */
  readonly meter: Meter;
  /** Another collection of the same database, for `$lookup` and its like. */
  readonly collection: (name: string) => Work<readonly Uint8Array[]>;
  /** Refuses to read another collection of the same database that cannot be read by these stages, be there nothing to join. */
  readonly checkJoins: (name: string) => void;
  /** What `$text` looks through in another collection of the same database. */
  readonly searchIn: (name: string) => Search;
  /** What a stage such as `$indexStats` tells of another collection; absent where nobody knows. */
  readonly sourceIn?: ((name: string, stage: Stage) => readonly Uint8Array[]) | undefined;
  /** What `$text` in the first of the stages looks through; absent where it may not stand. */
  readonly search?: Search | undefined;
}

type Documents = readonly Uint8Array[];

/** Runs stages one after the other over whole sets of documents. */
export type RunStages = (stages: readonly Stage[], input: Documents, world: PipelineWorld) => Work<Documents>;

/** Reads stages, which are then run as often as one likes. */
export type RunnerOf = (stages: readonly Stage[], world: PipelineWorld) => (input: Documents) => Work<Documents>;
