import { required } from '@replsim/protocol';
import { type MemberSpec, ReplSet, type ReplSetOptions } from '@replsim/replset';
import { loopbackAddress } from './loopback.ts';
import { type Loss, lossesSince, refuseIfAllIsGone } from './losses.ts';
import { MemberListener, PortTakenError } from './memberListener.ts';
import { portAsked, resumedOptions } from './resumedOptions.ts';
import { DbpathInUseError, isHeld, readSavedSet, type SavedSet } from './savedSet.ts';
import { memberSpecs, type ServeOptions } from './serveOptions.ts';
import { checkedSpeed } from './speed.ts';

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
  const resumed = saved ? resumedOptions(options, saved, Date.now()) : options;
  try {
    return await openOn(resumed, saved, serve);
  } catch (error) {
    const held = isLocked(error) || (error instanceof PortTakenError && saved !== undefined && isHeld(saved));
    throw held && dbpath !== undefined ? new DbpathInUseError(dbpath, saved?.pid, { cause: error }) : error;
  }
}

async function openOn<Served>(
  options: ServeOptions,
  saved: SavedSet | undefined,
  serve: (opened: OpenedSet) => Served,
): Promise<Served> {
  const address = loopbackAddress(options.ip ?? '127.0.0.1');
  checkedSpeed(options.speed ?? 1);
  const specs = memberSpecs(options);
  const listeners: MemberListener[] = [];
  let set: ReplSet | undefined;
  try {
    const members: ((typeof specs)[number] & { readonly host: string })[] = [];
    for (const [i, spec] of specs.entries()) {
      const listener = await MemberListener.open(spec.name, address, portAsked(options, i));
      listeners.push(listener);
      members.push({ ...spec, host: listener.host });
    }
    const setOptions = setOptionsOf(options, members, options.epochMs ?? Date.now());
    set = await ReplSet.create(setOptions);
    const losses = saved === undefined ? [] : lossesSince(saved.members, set);
    if (saved !== undefined && !options.acceptEmpty)
      refuseIfAllIsGone(required(options.dbpath, 'dbpath of the saved set'), saved.members, losses);
    return serve({ set, setOptions, listeners, options, resumed: saved !== undefined, losses });
  } catch (error) {
    await set?.close();
    for (const listener of listeners) listener.close();
    throw error;
  }
}

function setOptionsOf(options: ServeOptions, members: readonly MemberSpec[], epochMs: number): ReplSetOptions {
  // What is the doors' business, and not the set's.
  const { members: _members, spares: _spares, port: _port, ip: _ip, ports: _ports, ...inside } = options;
  const { speed: _speed, invariants: _invariants, acceptEmpty: _empty, ...rest } = inside;
  return { ...rest, members, epochMs };
}

/** LevelDB says so of a folder that somebody else has open. */
function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'LEVEL_LOCKED' || isLocked(error.cause);
}
