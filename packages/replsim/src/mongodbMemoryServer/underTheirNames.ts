import { InvalidOptions } from '../index.ts';

/** The class that is asked to start. */
export type Who = 'MongoMemoryServer' | 'MongoMemoryReplSet';

/** Maps options of `ReplicaSet.start` to those of mongodb-memory-server. The first match counts. */
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

/** The same mistakes under mongodb-memory-server's option names, for a user who does not know `ReplicaSet.start`. */
export function underTheirNames({ mistakes }: InvalidOptions, who: Who): InvalidOptions {
  return new InvalidOptions(
    mistakes.map((mistake) => {
      const [ours, theirs] = THEIRS[who].find(([each]) => each.test(mistake)) ?? [];
      return ours === undefined || theirs === undefined ? mistake : mistake.replace(ours, theirs);
    }),
    who,
  );
}
