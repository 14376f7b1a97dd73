import type { Random } from '@replsim/kernel';
import type { MongodVersion } from '@replsim/protocol';

/** A key of a scenario and what it holds, as plain values. */
export type Fields = Readonly<Record<string, unknown>>;

/** A set as one seed draws it, and what may be claimed of it. */
export interface DrawnSet {
  /** The scenario's keys about the set. */
  readonly head: Fields;
  readonly names: readonly string[];
  /** What the first config says of each of them. */
  readonly configs: readonly Fields[];
  /** Members of the first config that hold data. */
  readonly withData: readonly string[];
  readonly spares: readonly string[];
  /** Members whose data no majority needs. */
  readonly voteless: readonly string[];
  /** What every member knows. */
  readonly release: MongodVersion;
  /** Whether somebody forces configs or a majority need not have its journal: then nothing that it acknowledged is sure to stay. */
  readonly isUnsafe: boolean;
  /** Whether disks may lie about their writes: then a member may forget what it has promised, and nothing but that the set comes to rest is claimed. */
  readonly disksLie: boolean;
  /** Whether oplogs are cut so short that members may become too stale. */
  readonly cutsOplogs: boolean;
  readonly chains: boolean;
}

const SIZES = [1, 2, 3, 3, 3, 3, 4, 5, 5, 7];
const RELEASES = ['8.0', '8.0', '8.0', '8.0', '8.2', '7.0', '6.0', '4.4'] as const;
/** From which release to which a set is upgraded. */
const NEXT: Readonly<Partial<Record<MongodVersion, MongodVersion>>> = { '8.0': '8.2', '7.0': '8.0', '6.0': '7.0' };
const SMALL_OPLOG_MB = 0.05;
/** Longer than any run: an interval that never ends. */
const ALL_AT_ONCE = 2_147_483_647;

export function drawSet(random: Random): DrawnSet {
  const size = random.pick(SIZES);
  const release: MongodVersion = random.pick(RELEASES);
  const isMixed = size > 1 && random.chance(0.15);
  const cutsOplogs = random.chance(0.2);
  const isForced = random.chance(0.1);
  const withoutJournal = random.chance(0.03);
  const chains = !random.chance(0.2);
  const disksLie = size >= 3 && random.split('disks').chance(0.12);
  const names = Array.from({ length: size }, (_, i) => `n${i + 1}`);
  const spares = random.chance(0.4) ? ['s1', 's2'].slice(0, random.int(1, 3)) : [];
  const configs = names.map((_, i) => drawConfig(i, size, random));
  // Who initiates the set says how far its data are compatible: one of the older release.
  const later = isMixed ? NEXT[release] : undefined;
  const about = (name: string, config: Fields = {}): Fields => ({
    name,
    ...config,
    ...(later !== undefined && name !== 'n1' && random.chance(0.5) && { version: later }),
    ...(random.chance(0.2) && { clock: drawClock(random) }),
    ...(cutsOplogs && { oplogSizeMB: SMALL_OPLOG_MB }),
  });
  const members = names.map((name, i) => short(about(name, configs[i])));
  const settings = drawSettings(chains, random.split('settings'));
  return {
    head: {
      version: release,
      replicaSet: {
        members,
        ...(spares.length > 0 && { spares: spares.map((name) => short(about(name))) }),
        ...(withoutJournal && { writeConcernMajorityJournalDefault: false }),
        ...(Object.keys(settings).length > 0 && { settings }),
      },
      parameters: drawParameters(release, random.split('parameters')),
      network: { latencyMs: [1, random.pick([4, 40, 150])] },
      costs: { indexBuildMicrosPerDocument: random.pick([5, 2000, 20_000]) },
    },
    names,
    configs,
    withData: names.filter((_, i) => configs[i]?.arbiterOnly !== true),
    spares,
    voteless: names.filter((_, i) => configs[i]?.votes === 0),
    release,
    isUnsafe: isForced || withoutJournal || disksLie,
    disksLie,
    cutsOplogs,
    chains,
  };
}

/** A member of which there is nothing to say is its name. */
function short(member: Fields): unknown {
  return Object.keys(member).length === 1 ? member.name : member;
}

/** The first member stays an ordinary one, so that there is always somebody to elect. */
function drawConfig(index: number, size: number, random: Random): Fields {
  if (index === 0) return {};
  if (index === size - 1 && size >= 3 && random.chance(0.2)) return { arbiterOnly: true };
  if (random.chance(0.1)) return { priority: 0, hidden: true };
  if (size > 3 && random.chance(0.15)) return { priority: 0, votes: 0 };
  if (size > 3 && random.chance(0.1)) return { priority: 0, hidden: true, secondaryDelaySecs: 3 };
  if (random.chance(0.25)) return { priority: random.pick([0.5, 2, 3]) };
  return {};
}

function drawClock(random: Random): Fields {
  const offsetMs = random.chance(0.3) ? random.int(-60_000, 60_000) : random.int(-2000, 2000);
  return { offset: `${offsetMs}ms`, drift: random.int(-200, 200) };
}

function drawSettings(chains: boolean, random: Random): Fields {
  return {
    ...(!chains && { chainingAllowed: false }),
    ...(random.chance(0.2) && { catchUpTimeoutMillis: random.pick([0, 2000]) }),
    ...(random.chance(0.4) && { electionTimeoutMillis: random.pick([2000, 5000]) }),
    ...(random.chance(0.1) && { heartbeatIntervalMillis: random.pick([500, 1000]) }),
    // Nobody takes over so from a primary that has caught up before: without haste it would hardly ever come about.
    ...(random.chance(0.6) && { catchUpTakeoverDelayMillis: random.pick([200, 3000]) }),
  };
}

/** How often TTL wakes, how soon an open transaction is given up, how many entries one takes and are applied at once, how long a snapshot can be read. */
function drawParameters(release: MongodVersion, random: Random): Fields {
  return {
    ttlMonitorSleepSecs: 7,
    transactionLifetimeLimitSeconds: random.pick([2, 8, 60]),
    maxNumberOfTransactionOperationsInSingleOplogEntry: random.pick([1, 2, ALL_AT_ONCE]),
    replBatchLimitOperations: random.pick([1, 3, 5000]),
    ...(release !== '4.4' && { minSnapshotHistoryWindowInSeconds: random.pick([0, 5, 300]) }),
  };
}
