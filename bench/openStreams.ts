import { MongoClient } from 'mongodb';

// Run as a process of its own: opens COUNT change streams at URI, each of which waits up to AWAIT_MS for its next event, tells when
// all wait, and stays.

const [uri = '', count = '', awaitMs = ''] = process.argv.slice(2);

const client = new MongoClient(uri, { maxPoolSize: Number(count) + 1, monitorCommands: true });
let waiting = 0;
client.on('commandStarted', ({ commandName }) => {
  if (commandName === 'getMore' && ++waiting === Number(count)) process.stdout.write('watching\n');
});
const watched = client.db('app').collection('watched');
for (let i = 0; i < Number(count); i++) void watched.watch([], { maxAwaitTimeMS: Number(awaitMs) }).next();
