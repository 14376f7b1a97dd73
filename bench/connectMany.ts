import { connect } from 'node:net';
import { serialize } from 'bson';

// Run as a process of its own: opens COUNT connections to PORT, says hello on each, tells when all are answered, and stays.

const [port, count] = process.argv.slice(2).map(Number);

const body = serialize({ hello: 1, $db: 'admin' });
const hello = Buffer.alloc(21 + body.length);
hello.writeInt32LE(hello.length, 0);
hello.writeInt32LE(1, 4);
hello.writeInt32LE(2013, 12);
hello.set(body, 21);

function answered(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port!, '127.0.0.1', () => socket.write(hello));
    socket.once('data', () => resolve());
    socket.once('error', reject);
  });
}

for (let i = 0; i < count!; i++) await answered();
process.stdout.write('connected\n');
