import { hostname } from 'node:os';
import { isNullOpTime, machineOf, NULL_OP_TIME, required } from '@replsim/protocol';
import { type MemberSpec, ReplSet, type ReplSetOptions } from '@replsim/replset';
import { beforeNowMs } from './beginning.ts';
import { checkedMaxLead, DEFAULT_MAX_LEAD_MS } from './clock/pace.ts';
import { wallClockMs } from './clock/realTime.ts';
import { checkedSpeed } from './clock/speed.ts';
import { areDefault, compressorNames } from './compression/compressors.ts';
import { namesOfThisMachine } from './doors/machineNames.ts';
import { MemberListener, PortTakenError } from './doors/memberListener.ts';
import { ONE_MACHINE_COSTS, ONE_MACHINE_NETWORK } from './doors/oneMachine.ts';
import { reachOf } from './doors/reach.ts';
import { type Loss, lossesSince, refuseIfAllIsGone, refuseIfMajorityLost } from './losses.ts';
import { placesOf } from './memberPlaces.ts';
import { resumedOptions } from './resumedOptions.ts';
import { DbpathInUseError, isHeld, readSavedSet, refuseIfForgotten, type SavedSet } from './savedSet.ts';
import { memberSpecs, type ServeOptions } from './serveOptions.ts';
import { type OpenedTls, openTls } from './tls/openTls.ts';

/** A set whose ports are open; nothing has happened in it yet. */
export interface OpenedSet {
  readonly set: ReplSet;
  readonly setOptions: ReplSetOptions;
  readonly listeners: readonly MemberListener[];
  /** As they were given, together with what the set remembers of an earlier time. */
  readonly options: ServeOptions;
  /** Its data are those of an earlier set. */
  readonly resumed: boolean;
  readonly losses: readonly Loss[];
  readonly tls: OpenedTls | undefined;
  /** Where virtual time is to be now, µs: time begins so early that the first election is over then. */
  readonly dueMicros: number;
}

/**
 * Opens the ports and the disks, and starts the members.
 * @param serve what to make of it; if it throws, all is closed again
 * @throws PortTakenError; RangeError for an option that makes no sense; DbpathInUseError, DbpathMismatchError, DataGoneError;
 *   what `ReplSet.create` and `serve` throw
 */
export async function openSet<Served>(options: ServeOptions, serve: (opened: OpenedSet) => Served): Promise<Served> {
  const { dbpath } = options;
  const saved = dbpath === undefined ? undefined : readSavedSet(dbpath);
  const aheadMs = beforeNowMs(options);
  const beganMs = wallClockMs() - aheadMs;
  const begun = saved ? resumedOptions(options, saved, beganMs) : { epochMs: beganMs, ...options };
  const dueMicros = () => {
    if (options.epochMs !== undefined) return 0;
    // Where time stands still, how long it took to get here must not show: the same seed gives the same run.
    const nowMs = options.speed === 0 ? beganMs + aheadMs : wallClockMs();
    return Math.max(0, nowMs - begun.epochMs) * 1000;
  };
  try {
    return await openOn(begun, saved, (opened) => serve({ ...opened, dueMicros: dueMicros() }));
  } catch (error) {
    const held = isLocked(error) || (error instanceof PortTakenError && saved !== undefined && isHeld(saved));
    throw held && dbpath !== undefined ? new DbpathInUseError(dbpath, saved?.pid, { cause: error }) : error;
  }
}

async function openOn<Served>(
  options: ServeOptions,
  saved: SavedSet | undefined,
  serve: (opened: Omit<OpenedSet, 'dueMicros'>) => Served,
): Promise<Served> {
  const { address, listenAt, anyClient } = reachOf(options);
  checkedSpeed(options.speed ?? 1);
  checkedMaxLead(options.maxLeadMs ?? DEFAULT_MAX_LEAD_MS);
  const specs = memberSpecs(options);
  const listeners: MemberListener[] = [];
  let set: ReplSet | undefined;
  let tls: OpenedTls | undefined;
  try {
    const members: ((typeof specs)[number] & { readonly host: string })[] = [];
    const places = placesOf(options, specs, address);
    tls = await openTls(options.tls, namesOf(options, address), wallClockMs());
    for (const [i, spec] of specs.entries()) {
      const place = required(places[i], 'place of a member');
      const listener = await MemberListener.open(
        spec.name,
        place.address,
        place.port,
        anyClient ? listenAt : undefined,
      );
      listeners.push(listener);
      members.push({ ...spec, host: place.host ?? listener.host });
    }
    const setOptions = { ...setOptionsOf(options, members), machineNames: namesOfThisMachine(address) };
    set = await ReplSet.create(setOptions);
    const losses = saved === undefined ? [] : lossesSince(saved.members, set);
    checkData(options, saved, losses, set);
    return serve({ set, setOptions, listeners, options, resumed: saved !== undefined, losses, tls });
  } catch (error) {
    await set?.close();
    for (const listener of listeners) listener.close();
    tls?.throwAway?.remove();
    throw error;
  }
}

/** Whether the set may start on what its folders hold. @throws DataGoneError, DbpathMismatchError */
function checkData(
  { dbpath, acceptEmpty }: ServeOptions,
  saved: SavedSet | undefined,
  losses: readonly Loss[],
  set: ReplSet,
): void {
  if (dbpath === undefined) return;
  if (saved === undefined) {
    const holds = (name: string) => !isNullOpTime(set.durable(name) ?? NULL_OP_TIME);
    refuseIfForgotten(dbpath, set.memberNames.filter(holds));
  } else if (!acceptEmpty) {
    refuseIfAllIsGone(dbpath, saved.members, losses);
    refuseIfMajorityLost(dbpath, saved.members, set);
  }
}

/** By which clients reach members. */
function namesOf(options: ServeOptions, address: string): readonly string[] {
  const { hostNames = {} } = options;
  return [address, ...(reachOf(options).anyClient ? [hostname()] : []), ...Object.values(hostNames).map(machineOf)];
}

function setOptionsOf(options: ServeOptions, members: readonly MemberSpec[]): ReplSetOptions {
  // What is the doors' business, and not the set's.
  const { members: _members, spares: _spares, port: _port, ip: _ip, ports: _ports, ...inside } = options;
  const { speed: _speed, maxLeadMs: _lead, invariants: _invariants, ledger: _ledger, ...more } = inside;
  const {
    acceptEmpty: _empty,
    hostNames: _names,
    anyClient: _any,
    networkMessageCompressors: _compressors,
    tls: _tls,
    isOpen: _open,
    maxIncomingConnections: _connections,
    ...rest
  } = more;
  const network = { ...ONE_MACHINE_NETWORK, ...options.network };
  const names = compressorNames(options.networkMessageCompressors ?? options.parameters?.networkMessageCompressors);
  const compressors = areDefault(names) ? {} : { networkMessageCompressors: names.length > 0 ? names : 'disabled' };
  const parameters = { ...options.parameters, ...compressors };
  return {
    ...rest,
    ...((options.parameters ?? Object.keys(parameters)[0]) !== undefined && { parameters }),
    members,
    network,
    costs: { ...ONE_MACHINE_COSTS, ...options.costs },
  };
}

/** LevelDB says so of a folder that somebody else has open. */
function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'LEVEL_LOCKED' || isLocked(error.cause);
}
