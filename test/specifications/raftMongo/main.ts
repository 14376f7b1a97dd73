import { checkWithTlc } from './tlc.ts';

// npm run tla -- --spec PATH/RaftMongo.tla --tlc PATH/tla2tools.jar [scenarios]: TLC checks runs as behaviours of RaftMongo.

process.exitCode = await checkWithTlc(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
