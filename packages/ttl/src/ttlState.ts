import type { LogLine, MemberTrace, Now, VersionTraits } from '@replsim/protocol';
import type { VisitTargets } from './batch.ts';
import type { ProcessFacts, TtlMember } from './eligibility.ts';
import { DEFAULT_TTL_PARAMETERS, type TtlParameterName, type TtlParameters } from './parameters.ts';
import type { TtlCache, TtlEntry } from './ttlCache.ts';
import type { TtlSkipLogId } from './ttlIndex.ts';
import type { Unexhausted } from './ttlPriority.ts';

/** One member's TTL monitor. `traits` and what is kept beside `phase` live as long as the process. */
export interface TtlState {
  readonly traits: VersionTraits;
  readonly parameters: TtlParameters;
  readonly member: TtlMember;
  readonly cache: TtlCache;
  readonly metrics: TtlCounters;
  /** The id that the next visit gets. */
  readonly nextVisit: number;
  readonly phase: Off | Sleeping | Awake | InPass;
}

/** Never started, or shut down. */
interface Off {
  readonly type: 'off';
}

export interface Sleeping {
  readonly type: 'sleeping';
  readonly since: Now;
  readonly sleepSecs: number;
}

/** Its operation is open. It passes the fail point hangTTLMonitorBetweenPasses before the pass begins. */
interface Awake {
  readonly type: 'awake';
}

/** Between two events a pass always waits for exactly one visit. */
export interface InPass {
  readonly type: 'inPass';
  /** The pass's own time, by which line B judges every visit. */
  readonly startedWallMs: number;
  /** Counted so far. */
  readonly subPasses: number;
  readonly deleted: number;
  readonly byIndex: readonly DeletedByIndex[];
  readonly subPass: SubPass;
  readonly unexhausted: Unexhausted;
  /** Found gone in this sub-pass. */
  readonly gone: Gone | undefined;
  /** The visit that is under way. */
  readonly visit: { readonly id: number; readonly entry: TtlEntry } | undefined;
}

/** A chain: a dropped database may leave ten thousand entries, and a copy of the cache for each would be their square. */
export interface Gone {
  readonly entry: TtlEntry;
  readonly before: Gone | undefined;
}

/** Rounds over those indexes that may have more. */
export interface SubPass {
  readonly startedMicros: number;
  readonly work: readonly TtlEntry[];
  /** Which entry of `work` comes next. */
  readonly position: number;
  /** What the next round works on. */
  readonly next: readonly TtlEntry[];
}

export interface DeletedByIndex {
  readonly ns: string;
  readonly index: string;
  readonly deleted: number;
}

/** Counted since the process started. */
export interface TtlCounters {
  readonly passes: number;
  readonly subPasses: number;
  readonly deletedDocuments: number;
  readonly invalidTTLIndexSkips: number;
  readonly collSubpassesIncreasedPriority: number;
}

export type TtlEvent =
  /** The process is up: the monitor starts, or never does (`shouldStartMonitor`). */
  | { readonly type: 'started'; readonly process: ProcessFacts }
  /** The timer or alarm that this monitor set last has gone off. */
  | { readonly type: 'timer' }
  /** The value has been checked against the parameter's type and bounds. */
  | { readonly type: 'parameterChanged'; readonly name: TtlParameterName; readonly value: boolean | number }
  /** To be sent before anything else that follows from the change. */
  | { readonly type: 'memberChanged'; readonly member: TtlMember }
  /** An index build or collMod committed a TTL option, or startup found one in the catalog. */
  | { readonly type: 'indexesRegistered'; readonly entries: readonly TtlEntry[] }
  | { readonly type: 'visitEnded'; readonly visit: number; readonly result: VisitResult }
  /** The answer to `passDue`. */
  | { readonly type: 'passBegins' }
  /** The other answer to `passDue`: the operation was interrupted at the fail point, and there will be no pass. */
  | { readonly type: 'passGivenUp'; readonly code: number; readonly errmsg: string }
  | { readonly type: 'stopped' };

/** How a visit went; `ns` is the namespace that the collection has now. */
export type VisitResult =
  /** The delete came to its end. `passTargetMet`: it stopped at a target, so there may be more. */
  | {
      readonly type: 'done';
      readonly ns: string;
      readonly deleted: number;
      /** The deletion alone, not what the visit waited for before it. */
      readonly tookMicros: number;
      readonly passTargetMet: boolean;
      /** A time series with times before 1970 or after 2038. */
      readonly extendedRange?: boolean;
    }
  /** The collection, the index or its option does not exist any more; the cache forgets the entry. */
  | { readonly type: 'gone' }
  /** Not to be worked now, without a word: the index is still being built, or the collection was just renamed. */
  | { readonly type: 'notReady' }
  /** `ttlKindOf` said so; `attr` goes to the log. */
  | { readonly type: 'skipped'; readonly logId: TtlSkipLogId; readonly attr: LogLine['attr'] }
  /**
   * The delete died; batches committed before stay, and are not counted. `interrupted`: the monitor's operation was
   * (stepdown 11602, shutdown, killOp), and so its pass is.
   */
  | {
      readonly type: 'failed';
      readonly ns: string;
      readonly code: number;
      readonly errmsg: string;
      readonly interrupted: boolean;
    };

export type TtlEffect =
  /** Fires after this much monotonic time. Both this and an alarm replace what was set before. */
  | { readonly type: 'setTimer'; readonly afterMs: number }
  /** Goes off when the member's wall clock shows this or more, however it gets there. */
  | { readonly type: 'setAlarm'; readonly wallMs: number }
  | { readonly type: 'cancelTimer' }
  /** Awake: open an operation, go by the fail point between passes, and answer with `passBegins` or `passGivenUp`. */
  | { readonly type: 'passDue' }
  | TtlVisit
  | Extract<MemberTrace, { type: 'ttlPassEnded' }>
  | { readonly type: 'log'; readonly line: LogLine }
  /** To be logged only if `tookMicros` reaches `slowms` and the sample takes it, or the component INDEX is verbose. */
  | { readonly type: 'slowLog'; readonly tookMicros: number; readonly line: LogLine };

/** Delete what is due by one index, in batches that take time, and answer with `visitEnded`. */
export interface TtlVisit {
  readonly type: 'visit';
  readonly visit: number;
  readonly collectionUuid: string;
  /** Undefined: the clustered collection itself, by record id. */
  readonly indexName: string | undefined;
  /** The time by which to judge; `expiryLimitMs` makes the limit of it and of the seconds found in the spec. */
  readonly wallMs: number;
  readonly targets: VisitTargets;
}

const NOTHING_COUNTED: TtlCounters = Object.freeze({
  passes: 0,
  subPasses: 0,
  deletedDocuments: 0,
  invalidTTLIndexSkips: 0,
  collSubpassesIncreasedPriority: 0,
});

/** A monitor that has not started. Parameters that are not given have their defaults. */
export function initialTtlState(
  traits: VersionTraits,
  member: TtlMember,
  parameters: Partial<TtlParameters> = {},
): TtlState {
  return {
    traits,
    parameters: { ...DEFAULT_TTL_PARAMETERS, ...parameters },
    member,
    cache: new Map(),
    metrics: NOTHING_COUNTED,
    nextVisit: 1,
    phase: { type: 'off' },
  };
}

/** `metrics.ttl` of serverStatus: the fields that this release has, to be sent as longs. */
export function ttlMetrics({ metrics, traits }: TtlState): Readonly<Record<string, number>> {
  const { collSubpassesIncreasedPriority, deletedDocuments, invalidTTLIndexSkips, passes, subPasses } = metrics;
  return {
    ...(traits.ttlPriorityMetric ? { collSubpassesIncreasedPriority } : {}),
    deletedDocuments,
    ...(traits.ttlInvalidSkipsMetric ? { invalidTTLIndexSkips } : {}),
    passes,
    ...(traits.ttlBatched ? { subPasses } : {}),
  };
}
