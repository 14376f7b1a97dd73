import type { Random } from '@replsim/kernel';
import { type Db, MongoClient } from 'mongodb';

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

/** A fail point, and the state of a member that waits there. */
const [BEGUN, ROLLBACK] = ['rollbackHangAfterTransitionToRollback', 9];

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
  rollback: { withinMs: 40, begin: rollBack },
};

/** Waits for a rollback that has begun: held at its beginning, or going on from there. */
async function rollBack(admin: Db, _: MongoClient, random: Random): Promise<UnderWay> {
  const { primary } = await admin.command({ hello: 1 });
  const name = await nameOf(admin, primary);
  const alone = new MongoClient(`mongodb://${primary}/?directConnection=true`);
  try {
    const itself = alone.db('admin');
    await itself.command({ configureFailPoint: BEGUN, mode: 'alwaysOn' });
    await admin.command({ replsimFault: { partition: [[name], ['all']] } });
    // Nobody else gets it: it is what is rolled back, and it was never promised.
    const writes = [1, 2, 3].map((n) =>
      alone
        .db('app')
        .collection('alone')
        .insertOne({ n }, { writeConcern: { w: 1 } }),
    );
    await Promise.allSettled(writes);
    await admin.command({ replsimUntilPrimary: 1, other: name });
    await admin.command({ replsimFault: { heal: 'all' } });
    await admin.command({ replsimAdvance: '20s' });
    const { myState } = await itself.command({ replSetGetStatus: 1 });
    if (myState === ROLLBACK && random.int(0, 2) === 0) return { isDone: () => false };
    await itself.command({ configureFailPoint: BEGUN, mode: 'off' });
    return myState === ROLLBACK ? following(admin.command({ replsimAdvance: '5s' })) : { isDone: () => true };
  } finally {
    await alone.close();
  }
}

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
