import type { FsyncLock } from '@replsim/operations';
import type { Core } from '../core/core.ts';
import type { Checkpoints } from '../data/checkpoints.ts';
import type { TtlMonitorThread } from '../ttl/ttlMonitorThread.ts';

/** Whom an `fsync` lock is about. */
export interface FsyncHost {
  readonly core: Core;
  readonly fsyncLock: FsyncLock;
  readonly checkpoints: Checkpoints;
  readonly ttl: TtlMonitorThread;
}
