import { randomBytes } from 'node:crypto';
import { parseKeyFile, type ServedSet, type ServeOptions } from '@replsim/server';
import { type AutomaticAuth, type CreateUser, InvalidOptions } from './options.ts';

/** Users as mongodb-memory-server makes them. Upstream: MongoMemoryServer.ts, authDefault. */
const ROOT = { customRootName: 'mongodb-memory-server-root', customRootPwd: 'rootuser' } as const;
const CREATED_BY = 'mongodb-memory-server';

/** With its defaults; undefined where nobody has to log in. */
export function authOf(auth: AutomaticAuth | undefined): Required<AutomaticAuth> | undefined {
  if (!auth?.enable || auth.disable) return undefined;
  // Nobody outside has to know it, unless somebody wants to log in as a member.
  const keyfileContent = randomBytes(24).toString('base64');
  return { disable: false, ...ROOT, extraUsers: [], keyfileContent, ...auth, enable: true };
}

/** @throws InvalidOptions for a key that is none */
export function accessOf(auth: Required<AutomaticAuth>): NonNullable<ServeOptions['access']> {
  try {
    return { authorization: true, keys: parseKeyFile(auth.keyfileContent, 'auth.keyfileContent') };
  } catch (error) {
    throw new InvalidOptions([`auth: ${(error as Error).message}`]);
  }
}

/** The member that creates users; undefined in a set that nobody has initiated yet. */
async function memberToAsk(served: ServedSet): Promise<string | undefined> {
  const { initiate, members } = served.setOptions;
  if (initiate !== false) return served.untilPrimary();
  return members.find(({ standalone }) => standalone)?.name;
}

/** Makes the root user and the others, unless the data under `dbpath` have them already. @throws what `createUser` fails with */
export async function createUsers(auth: Required<AutomaticAuth>, served: ServedSet): Promise<void> {
  const member = await memberToAsk(served);
  if (member === undefined) return;
  const { customRootName, customRootPwd, extraUsers } = auth;
  const root: CreateUser = { createUser: customRootName, pwd: customRootPwd, roles: ['root'] };
  for (const each of [root, ...extraUsers]) {
    const { database = 'admin', ...user } = each;
    const customData = { ...user.customData, createdBy: CREATED_BY, as: each === root ? 'ROOTUSER' : 'EXTRAUSER' };
    const command = {
      ...user,
      mechanisms: user.mechanisms ?? ['SCRAM-SHA-256'],
      customData,
      writeConcern: { w: 'majority' },
      $db: database,
    };
    const { ok, code, errmsg } = await served.command(member, command);
    // Location51003: it exists.
    if (ok !== 1 && !(served.resumed && code === 51003))
      throw new InvalidOptions([`auth: ${user.createUser}@${database} cannot be created: ${errmsg}`]);
  }
}
