import { CommandError, FAIL_POINTS, type FailPointName, type IdSource } from '@replsim/protocol';
import { whyElsewhere } from '../upstream/failPointNames.ts';

/** When a fail point fires. Upstream: fail_point.h, FailPoint::Mode. */
export type FailPointMode =
  | 'off'
  | 'alwaysOn'
  /** The next so many times, then off. */
  | { readonly times: number }
  /** Not the next so many times, then always. */
  | { readonly skip: number }
  /** Each time with this probability, 0 to 1. */
  | { readonly activationProbability: number };

/** What `configureFailPoint` gave as `data`, promoted. */
export type FailPointData = Readonly<Record<string, unknown>>;

/** Some have other names in other releases. */
const OTHER_NAMES: Readonly<Record<string, FailPointName>> = {
  waitInIsMaster: 'waitInHello',
  waitForIsMasterResponse: 'waitForHelloResponse',
  hangWhileWaitingForIsMasterResponse: 'hangWhileWaitingForHelloResponse',
  shardWaitInFindBeforeMakingBatch: 'waitInFindBeforeMakingBatch',
  shardWaitInHello: 'waitInHello',
  dropDatabaseHangAfterLastCollectionDrop: 'dropDatabaseHangAfterAllCollectionsDrop',
  skipTTLIndexInvalidExpireAfterSecondsValidationForCreateIndex: 'skipTTLIndexExpireAfterSecondsValidation',
};

interface FailPoint {
  mode: FailPointMode;
  data: FailPointData;
  timesEntered: number;
}

const OFF: FailPointMode = 'off';

/** Each name by which a fail point can be switched. */
export const FAIL_POINT_NAMES: readonly string[] = [...FAIL_POINTS, ...Object.keys(OTHER_NAMES)];

/** The fail points of one process; they are all off when it starts, but for those that its parameters switch. Upstream: fail_point.cpp, FailPointRegistry. */
export class FailPoints {
  readonly #points = new Map<string, FailPoint>();
  readonly #ids: IdSource;
  #awaited = 0;
  /** Called after a fail point was configured, and when one is entered while somebody waits for that. */
  onChange: () => void = () => {};

  /** @param ids draws for `activationProbability` */
  constructor(ids: IdSource) {
    this.#ids = ids;
  }

  /**
   * Switches a fail point. Throws FailPointSetFailed 266 for a name that does not exist.
   * @returns how often it has been entered so far
   */
  configure(name: string, mode: FailPointMode, data: FailPointData): number {
    const known = knownName(name);
    const point = this.#points.get(known) ?? { mode: OFF, data: {}, timesEntered: 0 };
    point.mode = mode;
    point.data = data;
    this.#points.set(known, point);
    this.onChange();
    return point.timesEntered;
  }

  /** Somebody waits for fail points to be entered. @returns takes it back */
  awaitEntries(): () => void {
    this.#awaited += 1;
    return () => {
      this.#awaited -= 1;
    };
  }

  /** How often a fail point has been entered. Throws FailPointSetFailed 266 for a name that does not exist. */
  timesEntered(name: string): number {
    return this.#points.get(knownName(name))?.timesEntered ?? 0;
  }

  /** As `getParameter` shows it. Upstream: fail_point.cpp, FailPoint::toBSON. */
  shown(name: string): Readonly<Record<string, unknown>> {
    const { mode, data, timesEntered } = this.#points.get(knownName(name)) ?? { mode: OFF, data: {}, timesEntered: 0 };
    return { mode: numberOf(mode), data, timesEntered: BigInt(timesEntered) };
  }

  /** Whether any was ever switched: if not, none has to be come by. */
  get areConfigured(): boolean {
    return this.#points.size > 0;
  }

  /** Whether the fail point would fire now for whom its data concern; asking changes nothing. */
  isArmed(name: FailPointName, concerns: (data: FailPointData) => boolean = () => true): boolean {
    const point = this.#points.get(name);
    if (!point || !concerns(point.data)) return false;
    const { mode } = point;
    if (typeof mode === 'string') return mode === 'alwaysOn';
    if ('times' in mode) return mode.times > 0;
    return 'skip' in mode ? mode.skip === 0 : mode.activationProbability > 0;
  }

  /** Whether the fail point fires whenever somebody comes by whom its data concern, until it is switched. */
  firesAlways(name: FailPointName, concerns: (data: FailPointData) => boolean = () => true): boolean {
    const point = this.#points.get(name);
    if (!point || !concerns(point.data)) return false;
    const { mode } = point;
    return mode === 'alwaysOn' || (typeof mode === 'object' && 'skip' in mode && mode.skip === 0);
  }

  /**
   * Comes by a fail point.
   * @param concerns whether its data speak of this occasion; one that they do not speak of is not counted
   * @returns its data if it fires
   */
  enter(name: FailPointName, concerns: (data: FailPointData) => boolean = () => true): FailPointData | undefined {
    const point = this.#points.get(name);
    if (!point || point.mode === 'off' || !concerns(point.data) || !this.#fires(point)) return undefined;
    point.timesEntered += 1;
    if (this.#awaited > 0) this.onChange();
    return point.data;
  }

  #fires(point: FailPoint): boolean {
    const { mode } = point;
    if (typeof mode === 'string') return mode === 'alwaysOn';
    if ('times' in mode) {
      point.mode = mode.times > 1 ? { times: mode.times - 1 } : OFF;
      return mode.times > 0;
    }
    if ('skip' in mode) {
      if (mode.skip > 0) point.mode = { skip: mode.skip - 1 };
      return mode.skip === 0;
    }
    return this.#ids.below(1_000_000) < mode.activationProbability * 1_000_000;
  }
}

/** Upstream: fail_point.h, FailPoint::Mode. */
function numberOf(mode: FailPointMode): number {
  if (typeof mode === 'string') return mode === 'off' ? 0 : 1;
  if ('activationProbability' in mode) return 2;
  return 'times' in mode ? 3 : 4;
}

function knownName(name: string): FailPointName {
  const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
  const known = other ?? FAIL_POINTS.find((each) => each === name);
  if (known) return known;
  const why = whyElsewhere(name);
  const suffix = why === undefined ? '' : ` (mongod has it, and replsim does not: ${why})`;
  throw new CommandError('FailPointSetFailed', `${name} not found${suffix}`);
}
