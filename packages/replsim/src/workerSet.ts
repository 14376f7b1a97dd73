import { ReplicaSet, type ReplicaSetOptions, SetStoppedError } from './index.ts';

/** MongoDB's internal databases. */
const OWN = ['admin', 'config', 'local'];

/** The sets of this process, by their options. */
const sets = new Map<string, Promise<ReplicaSet>>();

/**
 * Returns the set that the test files of one worker share, one after the other. It ends with the process, because a worker does
 * not know which file is its last.
 */
export function workerSet(options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
  const key = keyOf(options);
  const known = sets.get(key);
  if (known !== undefined) return known;
  const starting = ReplicaSet.start(options).then((set) => {
    set.unref();
    return set;
  });
  sets.set(key, starting);
  // The next file tries again.
  starting.catch(() => sets.delete(key));
  return starting;
}

/**
 * Prepares the set for the next test file: heals the network, drops all databases, and restores its speed and real timers. A set
 * with a member down, or without a primary, is stopped instead, and the next file gets a new one. Virtual time does not go back,
 * and changes to parameters, fail points, clocks, links and the config stay.
 * @throws InvariantBroken if the set broke an invariant
 * @throws Error with what ended the set, if something did
 */
export async function leaveWorkerSet(set: ReplicaSet, options: ReplicaSetOptions = {}): Promise<void> {
  let isTidy = false;
  try {
    isTidy = await tidied(set, options);
  } catch (error) {
    // A test is free to stop the set. If something else ended it, `stop` throws that error below.
    if (!(error instanceof SetStoppedError)) throw error;
  } finally {
    if (!isTidy) {
      sets.delete(keyOf(options));
      await set.stop();
    }
  }
}

/** @returns false if the set cannot serve another file */
async function tidied(set: ReplicaSet, options: ReplicaSetOptions): Promise<boolean> {
  set.useRealTimers();
  await set.heal('all');
  const { primary } = set;
  const isWhole = set.members.every(({ running, paused }) => running && !paused);
  if (primary === undefined || !isWhole || set.brokenInvariants.length > 0) return false;
  set.speed = options.speed ?? 1;
  const { databases } = await set.command(primary, { listDatabases: 1, nameOnly: true });
  for (const { name } of databases as { readonly name: string }[])
    if (!OWN.includes(name)) await set.command(primary, { dropDatabase: 1, $db: name });
  return true;
}

function keyOf(options: ReplicaSetOptions): string {
  return JSON.stringify(options);
}
