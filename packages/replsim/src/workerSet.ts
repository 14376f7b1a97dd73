import { ReplicaSet, type ReplicaSetOptions, SetStoppedError } from './index.ts';

/** Databases of MongoDB's own. */
const OWN = ['admin', 'config', 'local'];

/** The sets of this process, by their options. */
const sets = new Map<string, Promise<ReplicaSet>>();

/**
 * A set that the files of tests which one worker runs have one after the other. It ends with the process: nobody knows which
 * file is the last.
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
  // Who asks next tries again.
  starting.catch(() => sets.delete(key));
  return starting;
}

/**
 * Makes the set as the next file should find it: healed, without databases, at its speed, by the wall clock. One of which a member is down, or that
 * accepts no writes, is stopped: the next file gets another. Its time goes on; what a file did to parameters, fail points, clocks,
 * links or the config stays.
 * @throws InvariantBroken, if the set broke an invariant; what ended it, if something did
 */
export async function leaveWorkerSet(set: ReplicaSet, options: ReplicaSetOptions = {}): Promise<void> {
  let isTidy = false;
  try {
    isTidy = await tidied(set, options);
  } catch (error) {
    // A test may stop it, too; what else has ended it `stop` tells.
    if (!(error instanceof SetStoppedError)) throw error;
  } finally {
    if (!isTidy) {
      sets.delete(keyOf(options));
      await set.stop();
    }
  }
}

/** @returns false if it cannot serve another file */
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
