// Whether a set is there: asks a member who the primary is, by the command that drivers begin with. node health.mjs [PORT]
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OP_MSG = 2013;
const [, , asked] = process.argv;
const left = (name) => join(tmpdir(), name);
/** The entrypoint leaves the port where it is not MongoDB's own. */
const port = Number(asked ?? (existsSync(left('replsim-port')) ? readFileSync(left('replsim-port'), 'utf8') : 27017));

/** `{ hello: 1, $db: "admin" }` as BSON. */
const text = (value) => Buffer.concat([Buffer.from(value), Buffer.from([0])]);
const int32 = (value) => Buffer.from(Int32Array.of(value).buffer);
const fields = Buffer.concat([
  Buffer.from([0x10]),
  text('hello'),
  int32(1),
  Buffer.from([0x02]),
  text('$db'),
  int32(6),
  text('admin'),
  Buffer.from([0]),
]);
const command = Buffer.concat([int32(fields.length + 4), fields]);
const body = Buffer.concat([int32(0), Buffer.from([0]), command]);
const request = Buffer.concat([int32(16 + body.length), int32(1), int32(0), int32(OP_MSG), body]);

function end(code, message) {
  console.log(message);
  process.exit(code);
}

// The container's own check has no argument; whoever initialises asks with one.
if (asked === undefined && existsSync(left('replsim-initialising')))
  end(1, 'the scripts of /docker-entrypoint-initdb.d are still running');
const socket = createConnection(port, '127.0.0.1', () => socket.write(request));
socket.setTimeout(5000, () => end(1, `no answer at port ${port}`));
socket.on('error', ({ message }) => end(1, message));
let answer = Buffer.alloc(0);
socket.on('data', (part) => {
  answer = Buffer.concat([answer, part]);
  if (answer.length < 4 || answer.length < answer.readInt32LE(0)) return;
  // Only a member of a set that has a primary names one.
  if (answer.includes(text('\x02primary'))) end(0, 'the set has a primary');
  end(1, 'the set has no primary');
});
