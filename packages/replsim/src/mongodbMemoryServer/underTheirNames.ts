import { InvalidOptions } from '../index.ts';

/** Who is asked for a start. */
export type Who = 'MongoMemoryServer' | 'MongoMemoryReplSet';

/** By which option of mongodb-memory-server one of `ReplicaSet.start` has been said; the first that fits counts. */
const THEIRS: Readonly<Record<Who, readonly [ours: RegExp, theirs: string][]>> = {
  MongoMemoryServer: [
    [/^members(\.\d+)?\.parameters\.\w+/, 'instance.args'],
    [/^members(\.\d+)?/, 'instance'],
    [/^name/, 'instance.replSet'],
    [/^ip/, 'instance.ip'],
    [/^dbpath/, 'instance.dbPath'],
  ],
  MongoMemoryReplSet: [
    [/^members(\.\d+)?\.port/, 'instanceOpts$1.port'],
    [/^members(\.\d+)?\.parameters\.\w+/, 'args'],
    [/^members(\.\d+)?\./, 'instanceOpts$1.replicaMemberConfig.'],
    [/^members/, 'replSet.count'],
    [/^name/, 'replSet.name'],
    [/^ip/, 'replSet.ip'],
    [/^settings/, 'replSet.configSettings'],
    [/^dbpath/, 'instanceOpts.0.dbPath'],
  ],
};

/** The same mistakes, as somebody made them who knows nothing of `ReplicaSet.start`. */
export function underTheirNames({ mistakes }: InvalidOptions, who: Who): InvalidOptions {
  return new InvalidOptions(
    mistakes.map((mistake) => {
      const [ours, theirs] = THEIRS[who].find(([each]) => each.test(mistake)) ?? [];
      return ours === undefined || theirs === undefined ? mistake : mistake.replace(ours, theirs);
    }),
    who,
  );
}
