// Whether a set is there: asks a member who the primary is, by the command that drivers begin with. node health.mjs [PORT]
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, textIn } from './command.mjs';

const [, , asked] = process.argv;
const left = (name) => join(tmpdir(), name);
/** The entrypoint leaves the port where it is not MongoDB's own. */
const port = Number(asked ?? (existsSync(left('replsim-port')) ? readFileSync(left('replsim-port'), 'utf8') : 27017));

function end(code, message) {
  console.log(message);
  process.exit(code);
}

// The container's own check has no argument; whoever initialises asks with one.
if (asked === undefined && existsSync(left('replsim-initialising')))
  end(1, 'the root user and the scripts of /docker-entrypoint-initdb.d are not done yet');
try {
  // Only a member of a set that has a primary names one.
  if (textIn(await ask(port, { hello: 1 }), 'primary') !== undefined) end(0, 'the set has a primary');
  end(1, 'the set has no primary');
} catch ({ message }) {
  end(1, message);
}
