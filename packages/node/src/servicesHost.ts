import type {
  CursorStore,
  LogicalSessionServices,
  Profiler,
  ServerCounters,
  TransactionServices,
} from '@replsim/operations';
import type { BucketCatalog } from '@replsim/pipeline';
import type { MemberState } from '@replsim/protocol';
import type { FsyncHost } from './fsync/fsyncHost.ts';
import type { IndexBuilds } from './indexBuilds/indexBuilds.ts';
import type { ReplCommandHost } from './replCommands/replCommandHost.ts';
import type { ConcernsHost } from './replication/concerns/concernsHost.ts';
import type { WriteConcerns } from './replication/concerns/writeConcerns.ts';

/** What a mongod is made of, as far as commands may see it. */
export interface ServicesHost extends ReplCommandHost, ConcernsHost, FsyncHost {
  readonly indexBuilds: IndexBuilds;
  readonly cursors: CursorStore;
  readonly bucketCatalog: BucketCatalog;
  readonly counters: ServerCounters;
  readonly transactions: TransactionServices;
  readonly transactionExpiry: { limitChanged(): void };
  readonly logicalSessions: LogicalSessionServices;
  readonly profiler: Profiler;
  readonly writeConcerns: WriteConcerns;
  /** Where appliers were more lenient than clients may be. */
  readonly relaxed: { readonly counts: Readonly<Record<string, number>> };
  /** Why this process writes nothing to its data, if it does not. */
  readonly readOnly: string | undefined;
  memberState(): MemberState | 'STANDALONE';
  acceptsWritesFor(db: string): boolean;
}
