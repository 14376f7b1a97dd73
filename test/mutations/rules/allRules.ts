import { accessRules } from './access.ts';
import { changeStreamRules } from './changeStreams.ts';
import { checkerRules } from './checkers.ts';
import { configRules } from './configs.ts';
import { dataRules } from './data.ts';
import { electionRules } from './elections.ts';
import { kernelRules } from './kernel.ts';
import type { MutatedRule } from './mutatedRule.ts';
import { oplogRules } from './oplog.ts';
import { replicationRules } from './replication.ts';
import { serverClockRules } from './serverClock.ts';
import { sessionRules } from './sessions.ts';
import { storageRules } from './storage.ts';
import { transactionRules } from './transactions.ts';
import { ttlRules } from './ttl.ts';
import { worldRules } from './worlds.ts';

/** Every mutation of the table, a theme after the other. */
export const allRules: readonly MutatedRule[] = [
  ...accessRules,
  ...changeStreamRules,
  ...checkerRules,
  ...configRules,
  ...dataRules,
  ...electionRules,
  ...kernelRules,
  ...oplogRules,
  ...replicationRules,
  ...serverClockRules,
  ...sessionRules,
  ...storageRules,
  ...transactionRules,
  ...ttlRules,
  ...worldRules,
];
