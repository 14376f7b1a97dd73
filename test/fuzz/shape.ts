import type { Random } from '@replsim/kernel';
import { DEFAULT_COSTS } from '@replsim/protocol';
import type { MemberSpec, NetworkSettings, ReplSetOptions } from '@replsim/replset';

/** A set as one seed draws it, and how rough its run is to be. */
export interface Shape {
  readonly options: ReplSetOptions;
  /** What the links are like once the set has begun; an initiation that loses a heartbeat is refused, as mongod's is. */
  readonly weather: NetworkSettings;
  /** The profile that is known to find most: loss, short partitions every four seconds, connections torn all the time. */
  readonly stormy: boolean;
  /** Whether transactions are as large at times that a chain of entries travels in parts. */
  readonly large: boolean;
  /** Whether somebody may force a config, which voids what most invariants promise. */
  readonly forces: boolean;
}

const SIZES = [1, 2, 3, 3, 3, 3, 4, 5, 5, 7];
/** Some members forget their oplog so soon that others fall off it. */
const SMALL_OPLOG_MB = 0.05;

export function drawShape(seed: number, random: Random): Shape {
  const size = random.pick(SIZES);
  const members: MemberSpec[] = Array.from({ length: size }, (_, i) => drawMember(`n${i + 1}`, i, size, random));
  const spares: MemberSpec[] = random.chance(0.4) ? [{ name: 's1', spare: true }] : [];
  const smallOplogs = random.chance(0.25);
  const stormy = random.chance(0.3);
  return {
    stormy,
    forces: random.chance(0.1),
    large: random.split('large').chance(0.05),
    weather: stormy ? { loss: 0.05 } : { loss: random.pick([0, 0, 0.02]), duplicate: random.pick([0, 0.05]) },
    options: {
      seed,
      members: [...members, ...spares].map((spec) => (smallOplogs ? { ...spec, oplogSizeMB: SMALL_OPLOG_MB } : spec)),
      network: { latencyMs: [1, random.pick([4, 40, 150])] },
      parameters: { ttlMonitorSleepSecs: 7, ...drawTransactionLimits(random.split('transactions')) },
      costs: { ...DEFAULT_COSTS, indexBuildMicrosPerDocument: random.split('costs').pick([5, 2000, 20_000]) },
      settings: {
        ...(random.chance(0.2) && { chainingAllowed: false }),
        ...(random.chance(0.2) && { catchUpTimeoutMillis: random.pick([0, 2000]) }),
        ...(random.chance(0.2) && { electionTimeoutMillis: random.pick([2000, 5000]) }),
        // Nobody takes over so from a primary that has caught up before: without haste it would hardly ever come about.
        ...(random.chance(0.6) && { catchUpTakeoverDelayMillis: random.pick([200, 3000]) }),
      },
    },
  };
}

/** How soon an open transaction is given up, how many entries one takes and are applied at once, how long a snapshot can be read. */
function drawTransactionLimits(random: Random) {
  return {
    transactionLifetimeLimitSeconds: random.pick([2, 8, 60]),
    maxNumberOfTransactionOperationsInSingleOplogEntry: random.pick([1, 2, 2_147_483_647]),
    minSnapshotHistoryWindowInSeconds: random.pick([0, 5, 300]),
    replBatchLimitOperations: random.pick([1, 3, 5000]),
  };
}

/** The first member stays an ordinary one, so that there is always somebody to elect. */
function drawMember(name: string, index: number, size: number, random: Random): MemberSpec {
  const clock = random.chance(0.2) ? { offsetMs: random.int(-2000, 2000), driftPpm: random.int(-200, 200) } : undefined;
  const spec: MemberSpec = clock ? { name, clock } : { name };
  if (index === 0) return spec;
  if (index === size - 1 && size >= 3 && random.chance(0.2)) return { ...spec, config: { arbiterOnly: true } };
  if (random.chance(0.1)) return { ...spec, config: { priority: 0, hidden: true } };
  if (size > 3 && random.chance(0.1)) return { ...spec, config: { priority: 0, votes: 0 } };
  if (size > 3 && random.chance(0.1)) return { ...spec, config: { priority: 0, secondaryDelaySecs: 3 } };
  if (random.chance(0.25)) return { ...spec, config: { priority: random.pick([0.5, 2, 3]) } };
  return spec;
}
