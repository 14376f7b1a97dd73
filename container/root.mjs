// Creates the first user, as the localhost exception allows. node root.mjs PORT, with the name and the password in the environment
import { ask, numberIn, textIn } from './command.mjs';

/** Upstream: error_codes.yml, Unauthorized; and what createUser answers for a name that is taken. */
const THERE_ARE_USERS = [13, 51003];

const { MONGO_INITDB_ROOT_USERNAME: createUser, MONGO_INITDB_ROOT_PASSWORD: pwd } = process.env;
// The member at this port may be another's secondary.
const primary = textIn(await ask(Number(process.argv[2]), { hello: 1 }), 'primary');
const port = Number(primary.slice(primary.lastIndexOf(':') + 1));
const reply = await ask(port, {
  createUser,
  pwd,
  roles: [{ role: 'root', db: 'admin' }],
  writeConcern: { w: 'majority' },
});
const code = numberIn(reply, 'code');
if (code !== undefined && !THERE_ARE_USERS.includes(code)) {
  console.error(`replsim: the root user cannot be created: ${textIn(reply, 'errmsg')}`);
  process.exit(1);
}
