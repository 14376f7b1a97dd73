import type { Random } from '@replsim/kernel';
import type { Db, MongoClient } from 'mongodb';

/** Where a set may be when it is killed. In the first two it serves nobody yet. */
export const PLACES = ['start', 'recovery', 'writes', 'checkpoint', 'jump', 'election', 'rollback'] as const;
export type Place = (typeof PLACES)[number];

/** What is under way: done or not. */
export interface UnderWay {
  readonly isDone: () => boolean;
}

/**
 * Begins what a place is about. The kill comes up to `withinMs` later, and counts for the place if it is not done by then.
 * Errors come from the kill.
 */
export interface Way {
  readonly withinMs: number;
  begin(admin: Db, client: MongoClient, random: Random): Promise<UnderWay>;
}

export const WAYS: Readonly<Record<Exclude<Place, 'start' | 'recovery'>, Way>> = {
  writes: { withinMs: 500, begin: async () => ({ isDone: () => false }) },
  checkpoint: { withinMs: 20, begin: async (admin) => following(admin.command({ fsync: 1 })) },
  jump: { withinMs: 100, begin: async (admin) => following(admin.command({ replsimAdvance: '300s' })) },
  election: {
    withinMs: 60,
    begin: async (admin) => {
      await admin.command({ replsimFault: { kill: 'primary' } });
      return following(
        admin.command({ replsimUntilPrimary: 1 }).then(() => admin.command({ replsimFault: { start: 'all' } })),
      );
    },
  },
  rollback: {
    withinMs: 60,
    begin: async (admin, client) => {
      const { primary } = await admin.command({ hello: 1 });
      const name = await nameOf(admin, primary);
      await admin.command({ replsimFault: { partition: [[name], ['all']] } });
      // Nobody else gets it: it is what is rolled back, and it was never promised.
      const alone = client.db('app').collection('alone');
      await Promise.all(
        [1, 2, 3].map((n) => alone.insertOne({ n }, { writeConcern: { w: 1 }, timeoutMS: 1000 }).catch(() => {})),
      );
      await admin.command({ replsimUntilPrimary: 1, other: name });
      await admin.command({ replsimFault: { heal: 'all' } });
      return following(admin.command({ replsimAdvance: '20s' }));
    },
  },
};

/** The name by which faults know who listens there. */
async function nameOf(admin: Db, host: string): Promise<string> {
  const { members } = await admin.command({ replSetGetConfig: 1 }).then(({ config }) => config);
  const index = members.findIndex((member: { readonly host: string }) => member.host === host);
  return `n${index + 1}`;
}

function following(done: Promise<unknown>): UnderWay {
  let isDone = false;
  done.then(
    () => {
      isDone = true;
    },
    () => {},
  );
  return { isDone: () => isDone };
}
