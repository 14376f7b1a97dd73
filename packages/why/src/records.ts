import type { Branches } from './branches.ts';
import type { Change } from './collectionHistory.ts';
import type { Logs } from './logs.ts';
import type { Losses } from './losses/losses.ts';
import type { MemberStory } from './memberStory.ts';
import type { Situation } from './situation.ts';
import type { CompileFilter } from './undue.ts';

/** What there is to tell the fate of documents and writes from. */
export interface Records {
  readonly situation: Situation;
  readonly branches: Branches;
  readonly logs: Logs;
  /** Which election lost a write. */
  readonly losses: Losses;
  /** For whom a write was made, such as `w1/13`. */
  readonly writerOf: (change: Change) => string | undefined;
  /** The member that leads, if one does. */
  readonly primary: MemberStory | undefined;
  /** The set's release. */
  readonly version: string;
  /** Reads filters; absent where nobody can tell. */
  readonly compile: CompileFilter | undefined;
}
