import type { Core } from '../core/core.ts';
import type { Writes } from '../data/writes.ts';
import type { IndexBuilds } from '../indexBuilds/indexBuilds.ts';
import type { Replication } from '../replication/replication.ts';
import type { UserWriteBlock } from './userWriteBlock.ts';

/** What `setUserWriteBlockMode` changes, and who has to hear of it. */
export interface WriteBlockHost {
  readonly core: Core;
  readonly userWriteBlock: UserWriteBlock;
  readonly writes: Writes;
  readonly indexBuilds: IndexBuilds;
  /** Missing on a standalone. */
  readonly repl: Replication | undefined;
}
